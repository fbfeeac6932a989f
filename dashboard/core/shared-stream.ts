/**
 * Shares one event stream between all windows with the same key: the window that holds a lock reads it and
 * forwards the events. Browsers only open six connections per host.
 */
import type { WorldEvent } from '../../src/client/types.ts'
import type { Session } from './session.ts'
import { type Connection, follow, type Listener } from './stream.ts'
import { watchTogether } from './watch.ts'

/** Messages between windows. */
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
