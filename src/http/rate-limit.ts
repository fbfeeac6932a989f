import type { Wall } from '../clock.ts'
import { ServiceError } from '../domain/errors.ts'

const MINUTE = 60_000

/** Counts a key's requests in the current minute. */
export type RateLimit = (username: string) => void

/**
 * At most `perMinute` requests of one API key in each minute of the wall clock (open-points, "General").
 * The check throws a RateLimited with the seconds until the next minute.
 */
export function createRateLimit(perMinute: number, wall: Wall): RateLimit {
  let minute = 0
  let counts = new Map<string, number>()
  return (username) => {
    const now = wall()
    if (Math.floor(now / MINUTE) !== minute) {
      minute = Math.floor(now / MINUTE)
      counts = new Map()
    }
    const count = (counts.get(username) ?? 0) + 1
    counts.set(username, count)
    if (count > perMinute) throw new RateLimited(perMinute, Math.ceil(((minute + 1) * MINUTE - now) / 1000))
  }
}

/** 429; `retry_after` is in seconds. */
export class RateLimited extends ServiceError {
  readonly retry_after: number

  constructor(perMinute: number, retry_after: number) {
    super(
      'resource_exhausted',
      `more than ${perMinute} requests a minute with this API key; try again in ${retry_after} s`,
    )
    this.retry_after = retry_after
  }
}
