import { Command } from 'commander'
import { followPayment, referenceIn } from './follow.ts'
import { durationOption, type Fields, readAddress, readAmount, setOption } from './options.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { worldCommand, type Session } from './world-command.ts'
import { SandboxError } from '../client/transport.ts'
import type { WorldClient } from '../client/types.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { mergeDeep } from '../lib/objects.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'

export const payCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('pay')
      .description(
        "Make a collection, or with --payout a payout, in the user's world, and show its states, ledger entries and callbacks until it " +
          'has settled. Exit code 1: the service rejected the payment.',
      )
      .option('--phone <number>', 'the payer or recipient', '254712345678')
      .option('--amount <amount>', 'in major units, such as 100 or 99.50', readAmount)
      .option('--payout', 'pay out of the wallet instead of collecting')
      .option('--account <id>', 'the Team (default: the Team of the API key)', readAmount)
      .option('--provider <name>', 'the mobile money provider', 'm-pesa')
      .option('--scenario <scenario>', 'the outcome; scenarios list prints the names')
      .option('--reference <text>', 'your reference (default: based on the time)')
      .option(
        '--callback-url <address>',
        'the address for callbacks (default: an inbox of the sandbox)',
        readAddress,
      )
      .addOption(setOption('set any field of the request; repeatable'))
      .option('--follow', 'wait until nothing is pending for the payment')
      .addOption(durationOption('--for', 'how long to wait without --follow', '10s')),
    pay,
  )

interface PayOptions {
  readonly phone: string
  readonly amount?: number
  readonly payout?: boolean
  readonly account?: number
  readonly provider: string
  readonly scenario?: string
  readonly reference?: string
  readonly callbackUrl?: string
  readonly set?: Fields
  readonly follow?: boolean
  /** Milliseconds. */
  readonly for: number
}

/** Makes a payment and prints its events. @returns The exit code. */
async function pay({ world, out }: Session, options: PayOptions): Promise<number> {
  const paint = painter(out.colours)
  const path = options.payout ? '/api/v2/withdraw' : '/api/v2/payments'
  const callback_url = options.callbackUrl ?? (await world.inbox.url('pay'))
  const external_reference = options.reference ?? `pay-${systemWall().toString(36)}`
  const made = options.payout
    ? payout(options, options.account ?? (await ownTeam(world)))
    : collection(options)
  const body = mergeDeep({ ...made, external_reference, callback_url }, options.set ?? {})
  const { scenario } = options
  const headers = {
    'content-type': 'application/json',
    ...(scenario !== undefined && { prefer: `scenario=${encodeURIComponent(scenario)}` }),
  }
  out.say(`${paint('cyan', `POST ${path}`)} ${JSON.stringify(body)}`)
  const answer = await world.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  const answered = parsedJson(text)
  const fact = {
    kind: 'sent',
    method: 'POST',
    path,
    sent: body,
    response: String(answer.status),
    body: answered ?? text,
  }
  out.say(`    ${paint(answer.ok ? 'green' : 'red', String(answer.status))} ${text}`, fact)
  if (!answer.ok) return exitCodes.no
  const limit = options.follow ? Infinity : options.for
  await followPayment(out, world, referenceIn(answered) ?? external_reference, { limit, leap: false })
  return exitCodes.done
}

/** Returns the Team of the API key, which payouts must name; undefined if the role of the key may not list keys. */
async function ownTeam({ apiKeys, username }: WorldClient): Promise<number | undefined> {
  const keys = await apiKeys.list().catch(unlessRefused)
  return keys?.find((key) => key.username === username)?.default_account_id
}

function unlessRefused(error: unknown): undefined {
  if (error instanceof SandboxError) return
  throw error
}

/** The network code of the default provider. */
const networks: Fields = { 'm-pesa': '63902' }

const collection = ({ phone, amount = 1000, account, provider }: PayOptions): Fields => ({
  amount,
  phone_number: phone,
  provider,
  network_code: networks[provider],
  account_id: account,
})

const payout = ({ phone, amount = 500 }: PayOptions, account_id: number | undefined): Fields => ({
  amount,
  phone_number: phone,
  account_number: phone,
  channel: 'phone',
  recipient_type: 'MSISDN',
  account_id,
})
