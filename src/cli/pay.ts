import { Command } from 'commander'
import { sendPrepared } from '../client/payments.ts'
import { followPayment, referenceIn } from './follow.ts'
import {
  durationOption,
  type End,
  type Fields,
  oneOf,
  readAmount,
  readReceiver,
  setOption,
} from './options.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import { dashboardOf, worldCommand, type Session } from './world-command.ts'
import type { PreparePaymentRequest } from '../generated/control/types.ts'
import { railNames } from '../service/vocabulary/rails.ts'

export const payCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('pay')
      .description(
        "Make a payment in the user's world, and show its states, ledger entries and callbacks until it has settled. Everything has a " +
          'default. Exit code 1: the service rejected the payment.',
      )
      .option(
        '--outcome <outcome>',
        'the result, such as payer-cancels (default: the rules of the world decide)',
      )
      .option(
        '--callback-url <address>',
        'the receiver, such as localhost:3000/callback (default: an inbox)',
        readReceiver,
      )
      .option('--payout', 'pay out instead of collecting')
      .addOption(oneOf('--rail <rail>', 'the rail (default: that of the outcome, or momo)', railNames))
      .option('--country <code>', 'the country (default: KE)')
      .option('--amount <amount>', 'in major units, such as 100 or 99.50', readAmount)
      .option('--phone <number>', 'the payer or recipient')
      .option('--account <id>', 'the Team (default: the Team of the API key)', readAmount)
      .option('--reference <text>', 'your reference (default: a new one)')
      .addOption(setOption('set any field of the request; repeatable'))
      .option('--follow', 'wait until nothing is pending for the payment')
      .addOption(durationOption('--for', 'how long to wait without --follow', '10s')),
    pay,
  )

interface PayOptions extends Pick<
  PreparePaymentRequest,
  'outcome' | 'country' | 'amount' | 'phone' | 'reference'
> {
  readonly payout?: boolean
  readonly rail?: NonNullable<PreparePaymentRequest['rail']>
  readonly account?: number
  readonly callbackUrl?: string
  readonly set?: Fields
  readonly follow?: boolean
  /** Milliseconds. */
  readonly for: number
}

/** Makes a payment and prints its events. @returns The exit code. */
async function pay({ world, out, target, flags }: Session, options: PayOptions): Promise<number> {
  const paint = painter(out.colours)
  const { outcome, country, amount, phone, reference, rail, account, callbackUrl, payout, set } = options
  const direction = payout ? 'payout' : 'payin'
  const named = {
    outcome,
    country,
    amount,
    phone,
    reference,
    rail,
    account_id: account,
    callback_url: callbackUrl,
  }
  const prepared = await world.call('preparePayment', {
    body: { direction, ...named, ...(set && { fields: set }) },
  })
  const { method, path, body } = prepared
  out.say(`${paint('cyan', `${method} ${path}`)} ${JSON.stringify(body)}`)
  const { status, text, answer } = await sendPrepared(world.fetch, prepared)
  const fact = { kind: 'sent', method, path, sent: body, response: String(status), body: answer }
  out.say(`    ${paint(status < 400 ? 'green' : 'red', String(status))} ${text}`, fact)
  if (status >= 400) return exitCodes.no
  const limit = options.follow ? Infinity : options.for
  await followPayment(out, world, referenceIn(answer) ?? prepared.reference, { limit, leap: false, flags })
  out.say(paint('dim', `    ${dashboardOf(target, `tx/${encodeURIComponent(prepared.reference)}`)}`))
  return exitCodes.done
}
