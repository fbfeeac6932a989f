import { Command } from 'commander'
import {
  jsonOption,
  oneOf,
  readStatuses,
  type Target,
  targetOf,
  type TargetOptions,
  urlOption,
  userOption,
} from './options.ts'
import { type Paint, painter, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { unlessUnknown } from './failures.ts'
import { followEvents } from './reconnecting-stream.ts'
import type { End } from './options.ts'
import type { WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'

/** `logs tail`: what happens in a world, as it happens. */
export function logsCommand(io: Process, end: End): Command {
  const logs = new Command('logs')
  logs
    .command('tail')
    .description(
      "Show the requests that come to the user's world and what it sends to receivers, a line each, until Ctrl-C. A sandbox that goes away is waited for.",
    )
    .addOption(oneOf('--only <what>', 'of the two', ['requests', 'callbacks']))
    .option('--operation <name>', 'requests of this operation, such as createCollection')
    .option('--status <status>', 'answered so, by the sandbox or a receiver: 201, 4xx, or none', readStatuses)
    .option('--reference <text>', 'of this payment: any reference of it that a request or callback names')
    .option('--all', 'first what the world remembers, of its last 1,000 events')
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & TailOptions) =>
      end(await tail(io, targetOf(io, options), options)),
    )
  return logs
}

interface TailOptions {
  readonly only?: 'requests' | 'callbacks'
  readonly operation?: string
  /** The pattern of statuses. */
  readonly status?: RegExp
  readonly reference?: string
  readonly all?: boolean
  readonly json?: boolean
}

/** A line of it. */
interface Seen {
  readonly kind: 'request' | 'attempt'
  readonly at: string
  /** Of the world's clock; of a request its method and path, of an attempt where it went. */
  readonly what: string
  readonly operation: string | null
  /** Null where there was no answer. */
  readonly status: number | null
  readonly error: string
  readonly duration_ms: number
  readonly references: readonly string[]
  readonly scenario: string | null
  readonly id: string | number
}

/** Prints the requests and callbacks of the user's world until a signal stops it. @returns the exit code */
function tail(io: Process, target: Target, options: TailOptions): Promise<number> {
  const { json = false, all } = options
  const out = outputTo(io.out, json)
  const paint = painter(io.out.colours)
  const connected = (again: boolean) => {
    if (!json)
      io.err.write(again ? `${target.url} is there again\n` : `${target.url} as ${target.username}\n`)
  }
  const tell = async (event: WorldEvent, world: WorldClient) => {
    const seen = await seenIn(world, event, options)
    if (seen && fits(seen, options)) out.say(lineOf(seen, paint), seen)
  }
  return followEvents(io, target, { json, connected, tell, ...(all && { after: '0' }) })
}

async function seenIn(
  world: WorldClient,
  { type, at, data }: WorldEvent,
  { only }: TailOptions,
): Promise<Seen | undefined> {
  if (type === 'request' && only !== 'callbacks') return requestIn(at, data)
  if (type !== 'attempt' || only === 'requests') return undefined
  const { callback_id, url, status, error, duration_ms } = data as unknown as Attempt
  const details = await world.callbacks.get(callback_id).catch(unlessUnknown)
  const { transaction = '', external_reference = '' } = details?.callback ?? {}
  const about = { kind: 'attempt', at, what: `callback ${callback_id} to ${url}`, id: callback_id } as const
  const references = [external_reference, transaction].filter(Boolean)
  return { ...about, operation: null, status, error, duration_ms, references, scenario: null }
}

interface Attempt {
  readonly callback_id: number
  readonly url: string
  readonly status: number | null
  readonly error: string
  readonly duration_ms: number
}

function requestIn(at: string, data: WorldEvent['data']): Seen {
  const { id, operation, method, path, status, duration_ms, reference, scenario } = data as unknown as Request
  const references = reference === null ? [] : [reference]
  const about = { kind: 'request', at, what: `${method} ${path}`, operation, id } as const
  return { ...about, status: status || null, error: '', duration_ms, references, scenario }
}

interface Request {
  readonly id: string
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  readonly reference: string | null
  readonly scenario: string | null
}

const fits = (seen: Seen, { operation, status, reference }: TailOptions): boolean =>
  (operation === undefined || seen.operation === operation) &&
  (status === undefined || status.test(String(seen.status ?? 'none'))) &&
  (reference === undefined || seen.references.includes(reference))

function lineOf({ at, kind, what, status, error, duration_ms, references, scenario }: Seen, paint: Paint) {
  const good = status !== null && status < 400
  const came = paint(
    good ? 'green' : status !== null && status < 500 ? 'yellow' : 'red',
    String(status ?? '---'),
  )
  const way = kind === 'request' ? '→' : '←'
  const rest = [references[0], scenario && `by ${scenario}`, error].filter(Boolean).join('  ')
  return `${paint('dim', at.slice(11, 19))}  ${way} ${came}  ${what}  ${paint('dim', `${duration_ms} ms`)}  ${rest}`.trimEnd()
}
