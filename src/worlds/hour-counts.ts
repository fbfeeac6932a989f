import type { Wall } from '../clock.ts'

const HOUR = 3_600_000
/** Of so many names the counts are kept; then the oldest is forgotten, so that nobody can make them grow. */
const MOST_COUNTED = 50_000

/**
 * Counts one more of a name within the hours of the wall clock, unless there were so many.
 * @returns milliseconds until the next hour when it was not counted; 0 when it was
 */
export type CountInHour = (name: string, most: number) => Promise<number>

/** Counts in the memory of this process. */
export function hourCounts(wall: Wall, mostCounted = MOST_COUNTED): CountInHour {
  let hour = 0
  let counts = new Map<string, number>()
  return async (name, most) => {
    const now = wall()
    if (Math.floor(now / HOUR) !== hour) {
      hour = Math.floor(now / HOUR)
      counts = new Map()
    }
    const known = counts.get(name)
    if ((known ?? 0) >= most) return (hour + 1) * HOUR - now
    if (known === undefined && counts.size >= mostCounted) counts.delete(counts.keys().next().value!)
    counts.set(name, (known ?? 0) + 1)
    return 0
  }
}
