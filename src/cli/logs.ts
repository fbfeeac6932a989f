import { Command } from '@commander-js/extra-typings'
import { type End, oneOf, readStatuses } from './options.ts'
import { type Paint, painter } from './output.ts'
import type { Process } from './process.ts'
import { unlessUnknown } from './failures.ts'
import { followEvents } from './reconnecting-stream.ts'
import type { WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { worldCommand } from './world-command.ts'

export function logsCommand(io: Process, end: End) {
  const logs = new Command('logs')
  worldCommand(io, end)(
    logs
      .command('tail', { isDefault: true })
      .description(
        "Show the requests and callbacks of the user's world, one per line, until Ctrl-C. Reconnects to a sandbox that restarts.",
      )
      .addOption(oneOf('--only <what>', 'show only one kind', ['requests', 'callbacks']))
      .option('--operation <name>', 'only requests of this operation, such as createCollection')
      .option('--status <status>', 'only this response status: 201, 4xx, or none', readStatuses)
      .option('--reference <text>', 'only this payment, by any of its references')
      .option('--all', 'start with the last 1,000 events'),
    ({ target, out, json }, { all, only, operation, status, reference }) => {
      const paint = painter(out.colours)
      const connected = (again: boolean) => {
        if (!json)
          io.err.write(again ? `reconnected to ${target.url}\n` : `${target.url} as ${target.username}\n`)
      }
      const fits = (line: LogLine) =>
        (operation === undefined || line.operation === operation) &&
        (status === undefined || status.test(String(line.status ?? 'none'))) &&
        (reference === undefined || line.references.includes(reference))
      const onEvent = async (event: WorldEvent, world: WorldClient) => {
        const line = await lineFor(world, event, only)
        if (line && fits(line)) out.say(textOf(line, paint), line)
      }
      return followEvents(io, target, { json, connected, onEvent, after: all && '0' })
    },
  )
  return logs
}

/** A line of the output. */
interface LogLine {
  readonly kind: 'request' | 'attempt'
  readonly at: string
  /** The method and path of a request, or the destination of a callback. */
  readonly what: string
  readonly operation: string | null
  /** Null without a response. */
  readonly status: number | null
  readonly error: string
  readonly duration_ms: number
  readonly references: readonly string[]
  readonly scenario: string | null
  readonly id: string | number
}

async function lineFor(
  world: WorldClient,
  { type, at, data }: WorldEvent,
  only: 'requests' | 'callbacks' | undefined,
): Promise<LogLine | undefined> {
  if (type === 'request' && only !== 'callbacks') return requestIn(at, data)
  if (type !== 'attempt' || only === 'requests') return undefined
  const { callback_id, url, status, error, duration_ms } = data as unknown as LogLine & {
    callback_id: number
    url: string
  }
  const details = await world.callbacks.get(callback_id).catch(unlessUnknown)
  const { transaction = '', external_reference = '' } = details?.callback ?? {}
  const about = { kind: 'attempt', at, what: `callback ${callback_id} to ${url}`, id: callback_id } as const
  const references = [external_reference, transaction].filter(Boolean)
  return { ...about, operation: null, status, error, duration_ms, references, scenario: null }
}

function requestIn(at: string, data: WorldEvent['data']): LogLine {
  const { id, operation, method, path, status, duration_ms, reference, scenario } =
    data as unknown as LogLine & {
      method: string
      path: string
      reference: string | null
    }
  const references = reference === null ? [] : [reference]
  const about = { kind: 'request', at, what: `${method} ${path}`, operation, id } as const
  return { ...about, status: status || null, error: '', duration_ms, references, scenario }
}

function textOf({ at, kind, what, status, error, duration_ms, references, scenario }: LogLine, paint: Paint) {
  const good = status !== null && status < 400
  const came = paint(
    good ? 'green' : status !== null && status < 500 ? 'yellow' : 'red',
    String(status ?? '---'),
  )
  const way = kind === 'request' ? '→' : '←'
  const rest = [references[0], scenario && `by ${scenario}`, error].filter(Boolean).join('  ')
  return `${paint('dim', at.slice(11, 19))}  ${way} ${came}  ${what}  ${paint('dim', `${duration_ms} ms`)}  ${rest}`.trimEnd()
}
