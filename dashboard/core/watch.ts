/**
 * Detects whether any window shows a handset. Each such window holds a shared lock. The window with the
 * stream requests the lock exclusively and gets it once the last handset closes, even if its window crashed.
 */
import type { Watch } from './stream.ts'

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
