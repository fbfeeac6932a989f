import { Command } from '@commander-js/extra-typings'
import type { WorldClient } from '../client/world-client.ts'
import type { Clock, WorldView } from '../client/types.ts'
import { packageVersion } from '../lib/files.ts'
import { differenceOf } from './clock.ts'
import { readReceiver, type End } from './options.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import { dashboardOf, worldCommand } from './world-command.ts'
import { isOpen } from './dev.ts'

export const doctorCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('doctor')
      .description(
        'Check the sandbox, the credentials, the world, its clock, the last failing callback, and whether your receiver can be ' +
          'reached. Exit code 1: something is wrong.',
      )
      .option('--receiver <address>', 'your receiver, such as localhost:3000/callback', readReceiver),
    async ({ world, target, out, flags }, { receiver }) => {
      const paint = painter(out.colours)
      const sandbox = await world
        .admin()
        .version()
        .catch(() => undefined)
      const version = sandbox?.version
      const own = packageVersion()
      const findings: Finding[] = [
        right(`reachable: ${target.url}${version ? `, version ${version}` : ''}`),
        ...(version && version !== own
          ? [
              wrong(
                `versions differ: the sandbox is ${version}, this command is ${own}`,
                'update the older one',
              ),
            ]
          : []),
        ...(await worldFindings(world, flags)),
        ...(receiver ? [await receiverFinding(receiver)] : []),
      ]
      for (const { ok, what, remedy } of findings) {
        const sign = !ok ? paint('red', 'WRONG') : remedy ? paint('yellow', 'note ') : paint('green', 'ok   ')
        const advice = remedy ? `\n       ${remedy}` : ''
        out.say(`${sign}  ${what}${advice}`, { kind: 'check', ok, what, remedy: remedy ?? null })
      }
      out.say(`       ${dashboardOf(target)}`)
      return findings.every(({ ok }) => ok) ? exitCodes.done : exitCodes.no
    },
  )

interface Finding {
  readonly ok: boolean
  readonly what: string
  /** What to do; for a finding that is ok, if it is unintended. */
  readonly remedy?: string | undefined
}

const right = (what: string, remedy?: string): Finding => ({ ok: true, what, remedy })
const wrong = (what: string, remedy: string): Finding => ({ ok: false, what, remedy })

async function worldFindings(world: WorldClient, flags: string): Promise<readonly Finding[]> {
  const [shown, clock] = await Promise.all([world.show(), world.clock.show()])
  const { callbacks } = await world.call('listCallbacks', { query: { state: 'failing', limit: 1 } })
  const role = shown.key ? ` (${shown.key.role})` : ''
  const jobs = `${clock.scheduled} job${clock.scheduled === 1 ? '' : 's'}`
  const waiting = clock.frozen && clock.next !== null
  return [
    right(`credentials: ${world.username}${role}, world ${shown.id} with ${shown.transactions} payments`),
    waiting
      ? wrong(
          `the clock is frozen with ${jobs} pending, next ${clock.next!.kind} at ${clock.next!.due_at}`,
          `run them: payments-sandbox settle${flags}, or clock resume`,
        )
      : right(
          `clock: ${clock.now}, ${clock.frozen ? 'frozen, nothing pending' : `${jobs} pending`}`,
          clock.frozen
            ? `payments wait until you run payments-sandbox settle${flags}, clock advance or clock resume`
            : undefined,
        ),
    ...clockFindings(clock),
    ...payerFindings(shown.settings.payer),
    ...(await Promise.all(callbacks.map((each) => failingCallback(world, each.id, flags)))),
    ...(callbacks.length === 0 ? [right('no callback is failing')] : []),
  ]
}

/** A difference that neither slow requests nor clocks of machines explain, in milliseconds. */
const FAR = 3_600_000

function clockFindings(clock: Clock): readonly Finding[] {
  if (Math.abs(Date.parse(clock.now) - Date.parse(clock.real_time)) < FAR) return []
  const away = `the clock is ${differenceOf(clock).slice(2)}`
  return [right(away, 'to return to real time, reset the world or use a new one')]
}

function payerFindings(payer: WorldView['settings']['payer']): readonly Finding[] {
  if (payer === 'automatic') return []
  const when = payer === 'manual' ? '' : ' while a handset is open in the dashboard'
  const manual = `payer: ${payer}; payments wait for you${when}`
  return [right(manual, 'answer them with payments-sandbox phone, or set payer to automatic')]
}

async function failingCallback(world: WorldClient, id: number, flags: string): Promise<Finding> {
  const { callback, attempts } = await world.callbacks.get(id)
  const last = attempts.at(-1)
  const answer = last?.response ? `answered ${last.response.status}` : (last?.error ?? 'not sent yet')
  const what = `callback ${id} of ${callback.external_reference} to ${callback.url}: ${answer}`
  if (last?.advice.startsWith('nothing: ')) return right(what, last.advice)
  return wrong(
    what,
    `${last?.advice || 'fix the receiver'}; then payments-sandbox resend ${callback.external_reference}${flags}`,
  )
}

async function receiverFinding(receiver: string): Promise<Finding> {
  const { origin } = new URL(receiver)
  return (await isOpen(origin))
    ? right(`receiver: ${origin} accepts connections from this machine`)
    : wrong(
        `receiver: no connection to ${origin}`,
        'start your shop, or correct the name or port; for a sandbox in a container see the guide on containers',
      )
}
