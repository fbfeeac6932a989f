/**
 * Whether any window of the browser has a handset open. Each that has holds a lock together with the others; the window with the stream
 * asks for that lock alone, and has it once the last handset is closed, however its window went.
 */
import type { Watch } from './stream.ts'

export interface Watching {
  /** For the stream of the window that reads it. */
  readonly stream: Watch
  /** Whether a handset is open in this window. */
  here(on: boolean): void
  /** This window reads the stream from now on. */
  lead(): Promise<void>
  /** Another window has opened one. */
  look(): void
}

/**
 * @param shared whether windows share a stream; else each watches for itself
 * @param tell tells the window that reads the stream that one was opened here
 */
export function watchTogether(name: string, shared: boolean, ended: AbortSignal, tell: () => void): Watching {
  const lock = `${name} handset`
  let open = false
  let watched = false
  let leads = false
  /** Whether this window waits to have the lock alone. */
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
