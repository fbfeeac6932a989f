import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Config } from '../config/config.ts'
import { isInContainer } from '../callbacks/target.ts'
import type { Guide } from '../worlds/guide.ts'
import { localAddress } from './address.ts'
import type { Paint } from './output.ts'
import { programIn, type Process } from './process.ts'

/** Returns the command that runs this program in the reader's terminal, which is outside the container. */
function programOf(config: Config, env: Process['env']): string {
  const own = programIn(env)
  if (own !== 'payments-sandbox' || !isInContainer(config.inContainer)) return own
  const engine = existsSync('/run/.containerenv') ? 'podman' : 'docker'
  // Engines set the host name to the container's id, except on the host's network.
  const container = /^[0-9a-f]{12}$/.test(hostname()) ? hostname() : 'CONTAINER'
  return `${engine} exec -it ${container} payments-sandbox`
}

/** Returns the first screen: address, credentials, first steps and links. */
export function banner(
  config: Config,
  guide: Guide,
  port: number,
  paint: Paint,
  env: Process['env'],
): string {
  const { db } = config
  const program = programOf(config, env)
  const base = localAddress(config.host, port)
  const label = (text: string) => paint('dim', text.padEnd(15))
  const tries = triesOf(config, guide, base, program).map(
    ([what, command], n) => `  ${n + 1}. ${what}\n${command ? `\n     ${paint('cyan', command)}\n` : ''}`,
  )
  const reader = guide.reader ? `; ${guide.reader} is read-only` : ''
  return `
${paint(['bold', 'green'], 'payments-sandbox')} listens at ${paint('bold', base)}

  ${label('Credentials')}${paint('bold', userOf(guide))}   HTTP Basic${passwordNote(config, guide)}${reader}
  ${label('Teams')}${guide.teams}
  ${label('Tests')}${guide.username}+anything is a separate world with the same password
  ${label('Rows')}${db === null ? 'in memory, lost when it stops; SANDBOX_DB=file stores them' : `stored in ${db}`}
  ${label('Dashboard')}${base}/dashboard
  ${label('Documentation')}${base}/docs

${paint('bold', 'Try')}

${tries.join('\n')}
All settings: ${program} start --help. Press Ctrl-C to stop.

`
}

/** Returns the user in the form of curl, which prompts for a missing password. */
function userOf({ username, password, passwordFrom }: Guide): string {
  if (password !== undefined) return `${username}:${password}`
  return passwordFrom === 'the seed file' ? username : `${username}:$${passwordFrom}`
}

const passwordNote = ({ seedFile }: Config, { password, passwordFrom }: Guide) =>
  password === undefined && passwordFrom === 'the seed file' ? `, password from ${seedFile}` : ''

/** Returns the first steps, each with its command. */
function triesOf(
  { settleAfter }: Config,
  guide: Guide,
  base: string,
  program: string,
): [what: string, command?: string][] {
  const curl = `curl -u ${userOf(guide)} ${base}`
  if (!guide.collector) return [['List the payment channels', `${curl}/api/v2/payment_channels`]]
  const settled =
    settleAfter === 0
      ? 'the payment settles immediately'
      : `${typeof settleAfter === 'number' ? `${settleAfter / 1000} s` : 'Some seconds'} later, the payment settles`
  const callback_url = `${base}/sandbox/inbox/default?key=own`
  const body = JSON.stringify({ account_id: guide.collector.id, ...collection, callback_url })
  return [
    [
      `Collect 100 shillings from a phone; ${settled}`,
      `${curl}/api/v2/payments -H 'content-type: application/json' -d '${body}'`,
    ],
    [
      'Show its timeline: request, states, ledger and callback',
      `${curl}/sandbox/transactions/order-1/timeline`,
    ],
    [
      `The payer cancels; ${program} scenarios list prints more outcomes`,
      // Other terminals do not have the settings of this one.
      `${program} pay --outcome payer-cancels${base.endsWith(':8080') ? '' : ` --url ${base}`}`,
    ],
  ]
}

const collection = {
  amount: 100,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  external_reference: 'order-1',
}
