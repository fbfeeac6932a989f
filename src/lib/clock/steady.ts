import type { Wall } from './clock.ts'

/** How fast it goes while it is ahead of the wall, so that they meet again: an hour's lead is gone after ten. */
const PACE = 0.9

/** Milliseconds since some moment; never goes back. */
export const systemMonotonic = () => performance.now()

/**
 * The wall's time for whatever waits: it never goes back. When the wall does, it goes on, a little slower, until the wall has
 * caught up; when the wall leaps ahead, or the machine wakes up, it follows.
 */
export function steadyWall(wall: Wall, monotonic: () => number): Wall {
  let said = wall()
  let steady = said
  let at = monotonic()
  return () => {
    const now = wall()
    // Most calls come in the same millisecond as one before.
    if (now === said && steady === said) return said
    const moment = monotonic()
    steady = Math.max(now, steady + (moment - at) * PACE)
    at = moment
    said = now
    return Math.floor(steady)
  }
}
