/** Retry schedules, and the effect of responses on them. */
import type { RetryProfile } from '../service/vocabulary/terms.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const minutes = (count: number) => count * MINUTE
const hours = (count: number) => count * HOUR

/** The delay after each failed attempt in milliseconds. */
export const RETRY_PROFILES = {
  sandbox: [1 * SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  svix: [5 * SECOND, ...[5, 30].map(minutes), ...[2, 5, 10, 10].map(hours)],
  standard: [5 * SECOND, ...[5, 30].map(minutes), ...[2, 5, 10, 14, 20, 24].map(hours)],
  adyen: [
    ...[9, 18, 27].map((count) => count * SECOND),
    ...[2, 5, 10, 15, 30].map(minutes),
    ...[1, 2, 4, 8].map(hours),
  ],
  // Four times 3 minutes and 71 hours are 71 h 12 min; one hour more would pass the 72.
  paystack: [...Array<number>(4).fill(3 * MINUTE), ...Array<number>(71).fill(HOUR)],
  none: [],
} as const satisfies Record<RetryProfile, readonly number[]>

/** Maximum jitter as a fraction of a delay. */
const JITTER = 0.1

/** Maximum effect of `Retry-After`, in milliseconds. */
const LONGEST_RETRY_AFTER = 24 * HOUR

interface RetryPace {
  /** Divides every delay. Greater than 0; 1 by default. */
  readonly speed?: number
  /** From -1 to 1, for up to 10 % less or more; 0 by default. */
  readonly jitter?: number
}

/**
 * Returns the delay before the next attempt in milliseconds, or null after the last one.
 * @param profile - A profile, or milliseconds between attempts.
 * @param failedAttempts - At least 1.
 * @throws RangeError if speed is not greater than 0 or jitter is not between -1 and 1
 */
export function nextDelay(
  profile: RetryProfile | readonly number[],
  failedAttempts: number,
  { speed = 1, jitter = 0 }: RetryPace = {},
): number | null {
  if (!(speed > 0)) throw new RangeError(`retry speed is ${speed}: it must be greater than 0`)
  if (!(Math.abs(jitter) <= 1)) throw new RangeError(`retry jitter is ${jitter}: it must be between -1 and 1`)
  const gaps: readonly number[] = typeof profile === 'string' ? RETRY_PROFILES[profile] : profile
  const gap = gaps[failedAttempts - 1]
  return gap === undefined ? null : Math.round((gap * (1 + jitter * JITTER)) / speed)
}

/** The response to a failed attempt. */
interface FailedAnswer {
  /** Null without a response. */
  readonly status: number | null
  readonly retryAfter?: string | undefined
  /** The real time of the response in milliseconds, from which dates in `Retry-After` count. */
  readonly nowMs: number
}

/**
 * Returns `nextDelay` with the response taken into account: 410 ends the retries, and `Retry-After` of 429 and 503 can extend the
 * delay. The speed divides `Retry-After` as well, so that a fast run stays fast.
 */
export function planRetry(
  profile: RetryProfile | readonly number[],
  failedAttempts: number,
  answer: FailedAnswer,
  pace: RetryPace = {},
): number | null {
  if (answer.status === 410) return null
  const delay = nextDelay(profile, failedAttempts, pace)
  if (delay === null || (answer.status !== 429 && answer.status !== 503)) return delay
  const asked = parseRetryAfter(answer.retryAfter, answer.nowMs)
  return asked === null ? delay : Math.max(delay, Math.round(asked / (pace.speed ?? 1)))
}

const IMF_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Parses `Retry-After`, seconds or an HTTP date (RFC 9110 10.2.3), as milliseconds from now, at most 24 hours. Returns null if it is
 * missing or invalid.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND, LONGEST_RETRY_AFTER)
  const at = IMF_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), LONGEST_RETRY_AFTER)
}
