import { Command } from '@commander-js/extra-typings'
import { sendPrepared } from '../client/payments.ts'
import { followPayment, referenceIn } from './follow.ts'
import { durationOr, type End, oneOf, readAmount, readReceiver, setOption } from './options.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import { dashboardOf, worldCommand } from './world-command.ts'
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
      .addOption(durationOr('--for', 'how long to wait without --follow', '10s')),
    async ({ world, out, target, flags }, options) => {
      const { payout, account: account_id, callbackUrl: callback_url, set: fields, ...rest } = options
      const { outcome, country, amount, phone, reference, rail } = rest
      const named = { outcome, country, amount, phone, reference, rail, account_id, callback_url }
      const direction = payout ? 'payout' : 'payin'
      const prepared = await world.call('preparePayment', { body: { direction, ...named, fields } })
      const paint = painter(out.colours)
      const { method, path, body } = prepared
      out.say(`${paint('cyan', `${method} ${path}`)} ${JSON.stringify(body)}`)
      const { status, text, answer } = await sendPrepared(world.fetch, prepared)
      const fact = { kind: 'sent', method, path, sent: body, response: String(status), body: answer }
      out.say(`    ${paint(status < 400 ? 'green' : 'red', String(status))} ${text}`, fact)
      if (status >= 400) return exitCodes.no
      const limit = options.follow ? Infinity : options.for
      const made = referenceIn(answer) ?? prepared.reference
      await followPayment(out, world, made, { limit, leap: false, flags })
      out.say(paint('dim', `    ${dashboardOf(target, `tx/${encodeURIComponent(prepared.reference)}`)}`))
      return exitCodes.done
    },
  )
