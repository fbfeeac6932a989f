import type { Wall } from './clock.ts'

/** The pace while it is ahead of real time: an hour's lead is gone after ten hours. */
const PACE = 0.9

/** Milliseconds since an arbitrary moment; never goes back. */
export const systemMonotonic = () => performance.now()

/** Returns real time for timers, which never goes back: if the machine's clock is set back, this one slows down until they meet. */
export function steadyWall(wall: Wall, monotonic: () => number): Wall {
  let said = wall()
  let steady = said
  let at = monotonic()
  return () => {
    const now = wall()
    // Most calls come within the same millisecond.
    if (now === said && steady === said) return said
    const moment = monotonic()
    steady = Math.max(now, steady + (moment - at) * PACE)
    at = moment
    said = now
    return Math.floor(steady)
  }
}
