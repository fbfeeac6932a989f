import { SandboxError, type Transport } from './transport.ts'
import type { WorldEvent } from './types.ts'

/** A piece of a world's stream of events: where it is now, and what happened there; nothing at its beginning. */
export interface StreamPiece {
  /** To go on from here. */
  readonly id: string
  readonly event: WorldEvent | undefined
}

/** How a stream of events is read. */
export interface EventOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
  /** The id of an event: those after it are told first. */
  readonly after?: string
}

/** Opens a world's stream of events; it ends with the signal, or the world. @throws SandboxError when refused */
export async function openEvents(
  transport: Transport,
  { signal, after }: EventOptions,
): Promise<AsyncGenerator<WorldEvent>> {
  const path = `/sandbox/events${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`
  const answer = await transport.fetch(path, signal ? { signal } : {})
  if (!answer.ok || !answer.body)
    throw new SandboxError(`GET ${path}`, answer.status, await answer.json(), 'streamEvents')
  return eventsIn(answer.body, signal)
}

async function* eventsIn(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<WorldEvent> {
  for await (const { event } of readStream(body, signal)) if (event) yield event
}

/** The same, opened when the first is asked for. */
export async function* readEvents(transport: Transport, options: EventOptions): AsyncGenerator<WorldEvent> {
  yield* await openEvents(transport, options)
}

/** The pieces of a stream as they come. @param body the stream of an answer, server-sent events */
export async function* readStream(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamPiece> {
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
