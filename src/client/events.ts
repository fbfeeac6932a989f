import { SandboxError, type Transport } from './transport.ts'
import type { EventType } from '../generated/control/types.ts'

/**
 * Something that happened in a world, as `world.events()` yields it.
 * @example
 * ```ts
 * let first: WorldEvent | undefined
 * for await (const event of world.events({ after: '0' })) {
 *   first = event
 *   break
 * }
 * first?.type // => 'transaction'
 * ```
 */
export interface WorldEvent {
  readonly id: string
  readonly type: EventType
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}

/**
 * A running `world.listen`.
 * @example
 * ```ts
 * const types: string[] = []
 * const shop = await world.world()
 * const listening: Listening = await shop.listen(({ type }) => types.push(type))
 * await shop.scenario('payer-cancels')
 * await shop.delete()
 * await listening.ended
 * types.length > 0 // => true
 * ```
 */
export interface Listening {
  /** Stops listening; resolves once the listener has handled the events it already received. */
  stop(): Promise<void>
  /** Resolves when stopped or when the world is deleted; rejects with the error of the listener. */
  readonly ended: Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface EventOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal
  /** The id of an event; the stream starts after it. */
  readonly after?: string
}

/** Opens a world's stream of events; it ends with the signal, or the world. @throws {SandboxError} If the sandbox rejects it. */
async function openEvents(
  transport: Transport,
  { signal, after }: EventOptions,
): Promise<AsyncGenerator<WorldEvent>> {
  const path = `/sandbox/events${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`
  const response = await transport.fetch(path, signal ? { signal } : {})
  if (!response.ok || !response.body)
    throw new SandboxError(`GET ${path}`, response.status, await response.json(), 'streamEvents')
  return eventsIn(response.body, signal)
}

async function* eventsIn(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<WorldEvent> {
  for await (const { event } of readStream(body, signal)) if (event) yield event
}

/** Yields the events of a world; the first read opens the stream. */
export async function* readEvents(transport: Transport, options: EventOptions): AsyncGenerator<WorldEvent> {
  yield* await openEvents(transport, options)
}

/** Yields each id of a stream of server-sent events, with its event; the first id has none. */
export async function* readStream(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly id: string; readonly event: WorldEvent | undefined }> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const stop = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  let text = ''
  let id = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        id = fieldOf(block, 'id') ?? id
        if (id === '') continue
        const data = fieldOf(block, 'data')
        yield { id, event: data === undefined ? undefined : (JSON.parse(data) as WorldEvent) }
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

const fieldOf = (block: string, name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]

/** Returns `world.listen` and a function that stops all its listeners. */
export function createListeners(transport: Transport) {
  const all = new Set<Listening>()
  return {
    async listen(listener: (event: WorldEvent) => unknown): Promise<Listening> {
      if (typeof listener !== 'function')
        throw new TypeError(`listen takes a function that receives events, got ${JSON.stringify(listener)}`)
      const stopped = new AbortController()
      const events = await openEvents(transport, { signal: stopped.signal })
      const ended = (async () => {
        for await (const event of events) if (!stopped.signal.aborted) await listener(event)
      })().finally(() => all.delete(listening))
      const stop = async () => {
        stopped.abort()
        await ended
      }
      const listening: Listening = { ended, stop, [Symbol.asyncDispose]: stop }
      all.add(listening)
      return listening
    },
    async end() {
      await Promise.all([...all].map((each) => each.stop()))
    },
  }
}
