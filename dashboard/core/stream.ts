/**
 * Shares one event stream between all windows with the same key: the window that holds a lock reads it and
 * forwards the events. Browsers only open six connections per host.
 */
import { readStream } from '../../src/client/events.ts'
import { SandboxError, type Transport } from '../../src/client/transport.ts'
import type { WorldEvent } from '../../src/client/types.ts'
import type { Session } from './session.ts'

type Message =
  | { readonly is: 'events'; readonly events: readonly WorldEvent[]; readonly last: string }
  | { readonly is: 'connection'; readonly state: Connection; readonly again: number }
  | { readonly is: 'gap' }
  | { readonly is: 'gone' }
  | { readonly is: 'new here' }
  | { readonly is: 'before you came'; readonly events: readonly WorldEvent[]; readonly state: Connection }
  | { readonly is: 'changed'; readonly what: string }
  | { readonly is: 'handset' }

/** Maximum number of events forwarded to a new window; the sandbox keeps as many. */
const TOLD = 1_000

export interface SharedStream {
  /** Announces a change without an event. */
  changed(what: string): void
  /** Announces that the world was deleted. */
  gone(): void
  /** Announces whether this window shows a handset; the shared stream reports if any does. */
  watch(on: boolean): void
  stop(): void
}

export function shareStream(
  { world, username, transport }: Session,
  listener: Listener & { readonly changed: (what: string) => void },
): SharedStream {
  const name = `payments-sandbox ${transport.url} ${world} ${username}`
  const ended = new AbortController()
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name)
  const tell = (message: Message) => channel?.postMessage(message)
  let last = '0'
  let leads = false
  /**
   * Whether the earlier events have arrived. Later ones are ignored until then, since they would arrive
   * twice.
   */
  let greeted = false
  let state: Connection = 'connecting'
  let told: WorldEvent[] = []
  const shared = channel !== undefined && 'locks' in navigator
  const watching = watchTogether(name, shared, ended.signal, () => tell({ is: 'handset' }))
  const heard = (events: readonly WorldEvent[], id: string) => {
    last = id
    told = [...told, ...events].slice(-TOLD)
    listener.pieces(events, id)
  }
  const connection = (now: Connection, again: number) => {
    state = now
    listener.connection(now, again)
  }
  const gap = () => {
    told = []
    listener.gap()
  }

  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.is === 'changed') return listener.changed(data.what)
    if (data.is === 'gone') return listener.gone()
    if (leads) {
      if (data.is === 'handset') watching.look()
      if (data.is === 'new here') tell({ is: 'before you came', events: told, state })
      return
    }
    if (data.is === 'events' && greeted) heard(data.events, data.last)
    if (data.is === 'connection') connection(data.state, data.again)
    if (data.is === 'gap') gap()
    if (data.is === 'before you came' && !greeted) {
      greeted = true
      heard(data.events, data.events.at(-1)?.id ?? '0')
      connection(data.state, 0)
    }
  })

  const lead = async () => {
    leads = true
    await watching.lead()
    return follow(
      transport,
      last,
      {
        pieces(events, id) {
          heard(events, id)
          tell({ is: 'events', events, last: id })
        },
        connection(now, again) {
          connection(now, again)
          tell({ is: 'connection', state: now, again })
        },
        gap() {
          gap()
          tell({ is: 'gap' })
        },
        refused: listener.refused,
        isGone: listener.isGone,
        gone() {
          tell({ is: 'gone' })
          listener.gone()
        },
      },
      ended.signal,
      watching.stream,
    )
  }
  if (shared) {
    navigator.locks.request(name, { signal: ended.signal }, lead).catch(() => {})
    tell({ is: 'new here' })
  } else void lead()

  return {
    changed: (what) => tell({ is: 'changed', what }),
    gone: () => tell({ is: 'gone' }),
    watch: watching.here,
    stop() {
      ended.abort()
      channel?.close()
    },
  }
}

export interface Watching {
  /** The watch of the window that reads the stream. */
  readonly stream: Watch
  /** Whether this window shows a handset. */
  here(on: boolean): void
  /** Called when this window starts to read the stream. */
  lead(): Promise<void>
  /** Called when another window opens a handset. */
  look(): void
}

/**
 * @param shared - whether windows share a stream; otherwise each watches on its own
 * @param tell - tells the window with the stream that a handset opened
 */
export function watchTogether(name: string, shared: boolean, ended: AbortSignal, tell: () => void): Watching {
  const lock = `${name} handset`
  let open = false
  let watched = false
  let leads = false
  /** Whether this window is waiting for the exclusive lock. */
  let asking = false
  let close: (() => void) | undefined
  const stream: Watch = { on: () => watched, changed: () => {} }
  const set = (now: boolean) => {
    if (now === watched) return
    watched = now
    stream.changed()
  }

  const look = async () => {
    const { held = [], pending = [] } = await navigator.locks.query()
    const is = open || [...held, ...pending].some((it) => it.name === lock && it.mode === 'shared')
    set(is)
    if (is && !asking) untilAllAreClosed()
  }
  const untilAllAreClosed = () => {
    asking = true
    const closed = navigator.locks.request(lock, { signal: ended }, () => {})
    closed.then(
      () => {
        asking = false
        void look()
      },
      () => {},
    )
  }

  const here = (on: boolean) => {
    if (on === open) return
    open = on
    if (!shared) return set(on)
    if (!on) {
      close?.()
      close = undefined
      return
    }
    const held = new Promise<void>((resolve) => (close = resolve))
    navigator.locks
      .request(lock, { mode: 'shared', signal: ended }, () => {
        if (leads) void look()
        else tell()
        return held
      })
      .catch(() => {})
  }
  ended.addEventListener('abort', () => close?.())
  return {
    stream,
    here,
    async lead() {
      leads = true
      if (shared) await look()
    },
    look: () => void look(),
  }
}

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
