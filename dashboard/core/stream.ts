/** The event stream of a world. */
import { readStream } from '../../src/client/events.ts'
import type { WorldEvent } from '../../src/client/types.ts'
import { SandboxError, type Transport } from '../../src/client/transport.ts'

export type Connection = 'connecting' | 'live' | 'broken'

export interface Listener {
  /** Called with events in order, and the id to continue from. */
  readonly pieces: (events: readonly WorldEvent[], lastId: string) => void
  readonly connection: (state: Connection, again: number) => void
  /** Called when events are missing, so that the state must be reloaded. */
  readonly gap: () => void
  readonly refused: (status: number) => void
  /**
   * Called when the sandbox ends the stream. If the world was deleted, reconnecting would create it again.
   */
  readonly isGone: () => Promise<boolean>
  readonly gone: () => void
}

/** Whether the stream reports a watcher of the phones, and a callback for changes. */
export interface Watch {
  readonly on: () => boolean
  changed: () => void
}

/** Milliseconds before each further attempt to connect. */
const PAUSES = [300, 1_000, 2_000, 4_000, 8_000, 15_000]
/** The sandbox sends a comment every 15 s. */
const SILENCE = 40_000

/** The part of an event id that identifies one life of the world. */
const lifeOf = (id: string) => id.slice(0, id.lastIndexOf('-'))

/**
 * Reads until the signal is aborted and reconnects after failures. @param after - the id to continue from;
 * `0` for all stored events
 */
export async function follow(
  transport: Transport,
  after: string,
  listener: Listener,
  signal: AbortSignal,
  watch: Watch,
) {
  let last = after
  let failures = 0
  let anew = false
  while (!signal.aborted) {
    if (!anew) listener.connection(failures === 0 ? 'connecting' : 'broken', 0)
    anew = false
    try {
      await readOnce()
      if (!signal.aborted && (await listener.isGone())) return signal.aborted ? undefined : listener.gone()
    } catch (error) {
      if (signal.aborted) return
      const status = error instanceof SandboxError ? error.status : 0
      if (status === 401) return listener.refused(status)
      if (status === 400) {
        last = '0'
        listener.gap()
      }
    }
    if (signal.aborted) return
    if (anew) continue
    const pause = PAUSES[Math.min(failures++, PAUSES.length - 1)]! * (0.75 + Math.random() / 2)
    listener.connection('broken', pause)
    await paused(pause, signal)
  }

  async function readOnce() {
    const once = new AbortController()
    const stop = () => once.abort()
    signal.addEventListener('abort', stop)
    watch.changed = () => {
      anew = true
      stop()
    }
    let silence = setTimeout(stop, SILENCE)
    try {
      const path = `/sandbox/events?after=${encodeURIComponent(last)}${watch.on() ? '&payer=1' : ''}`
      const answer = await transport.fetch(path, { signal: once.signal })
      if (!answer.ok || !answer.body)
        throw new SandboxError(`GET ${path}`, answer.status, await answer.json())
      const hand = gathered((events) => listener.pieces(events, last))
      listener.connection('live', 0)
      for await (const { id, event } of readStream(answer.body, once.signal)) {
        clearTimeout(silence)
        silence = setTimeout(stop, SILENCE)
        failures = 0
        if (last !== '0' && lifeOf(id) !== lifeOf(last)) listener.gap()
        last = id
        if (event) hand(event)
      }
    } finally {
      watch.changed = () => {}
      clearTimeout(silence)
      signal.removeEventListener('abort', stop)
    }
  }
}

/** Batches events, also in hidden windows, where timers are slow. */
function gathered(hand: (events: readonly WorldEvent[]) => void) {
  const { port1, port2 } = new MessageChannel()
  let waiting: WorldEvent[] = []
  port1.addEventListener('message', () => {
    const events = waiting
    waiting = []
    hand(events)
  })
  port1.start()
  return (event: WorldEvent) => {
    if (waiting.push(event) === 1) port2.postMessage(0)
  }
}

const paused = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    addEventListener('online', done, { once: true })
  })
