import type { Wall } from '../lib/clock/clock.ts'
import { isUrl } from '../lib/text/is-url.ts'

/** Maximum attempts per minute of one world at one host; also the size of a burst. */
const ATTEMPTS_A_MINUTE = 600
const MINUTE = 60_000
const MOST_KEPT = 10_000

/**
 * A token bucket per world and host, so that a sandbox on the internet floods no host.
 * @returns a function that returns how long an attempt must wait in milliseconds, and counts it when it returns 0. Targets
 * other than URLs do not count.
 */
export function createHostRateLimit(
  wall: Wall,
  aMinute = ATTEMPTS_A_MINUTE,
): (world: string, target: string) => number {
  const gap = MINUTE / aMinute
  /** By world and host: when the bucket is full again. */
  const fullAt = new Map<string, number>()
  return (world, target) => {
    if (!isUrl(target)) return 0
    const key = `${world} ${new URL(target).hostname}`
    const now = wall()
    const full = Math.max(fullAt.get(key) ?? now, now)
    const wait = Math.ceil(full + gap - MINUTE - now)
    if (wait > 0) return wait
    if (fullAt.size >= MOST_KEPT) for (const [each, at] of fullAt) if (at <= now) fullAt.delete(each)
    fullAt.set(key, full + gap)
    return 0
  }
}
