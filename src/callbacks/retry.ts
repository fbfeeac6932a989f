/** Retry plans as data, and the effect of an answer on them. Pure. */
import type { RetryProfile } from '../service/vocabulary/terms.ts'

export type { RetryProfile } from '../service/vocabulary/terms.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The gap after each failed attempt, milliseconds; the attempts are one more than the gaps. */
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

/** The jitter, as a part of a gap. */
const JITTER = 0.1

/** Maximum pause that `Retry-After` can set, in milliseconds. */
const LONGEST_RETRY_AFTER = 24 * HOUR

export interface RetryPace {
  /** Divides every gap: at 3600, 72 h pass in 72 s. Greater than 0; 1 when not given. */
  readonly speed?: number
  /** Chance, -1 to 1, for up to 10 % less or more; 0 when not given. */
  readonly jitter?: number
}

/**
 * The gap before the next attempt, whole milliseconds, or null when there is none.
 * @param failedAttempts how many attempts have failed, at least 1
 * @throws RangeError when speed is not greater than 0 or jitter is not between -1 and 1
 */
export function nextDelay(
  profile: RetryProfile,
  failedAttempts: number,
  { speed = 1, jitter = 0 }: RetryPace = {},
): number | null {
  if (!(speed > 0)) throw new RangeError(`retry speed is ${speed}: it must be greater than 0`)
  if (!(Math.abs(jitter) <= 1)) throw new RangeError(`retry jitter is ${jitter}: it must be between -1 and 1`)
  const gaps: readonly number[] = RETRY_PROFILES[profile]
  const gap = gaps[failedAttempts - 1]
  return gap === undefined ? null : Math.round((gap * (1 + jitter * JITTER)) / speed)
}

/** The answer to the failed attempt. */
export interface FailedAnswer {
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null
  /** The value of `Retry-After`, if there was one. */
  readonly retryAfter?: string | undefined
  /** When the answer came, milliseconds of the wall clock: a date in `Retry-After` is measured from it. */
  readonly nowMs: number
}

/**
 * `nextDelay` with the answer heard: 410 ends it; `Retry-After` of 429 and 503 makes a gap longer, never shorter, and
 * adds no attempt. The speed divides what the receiver asks for too, so that a fast run stays fast.
 */
export function planRetry(
  profile: RetryProfile,
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
 * `Retry-After` as milliseconds from now: whole seconds or an HTTP date (RFC 9110 10.2.3), 24 h at most, 0 for a date
 * that has passed; null when it is missing or neither.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND, LONGEST_RETRY_AFTER)
  const at = IMF_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), LONGEST_RETRY_AFTER)
}

function minutes(count: number): number {
  return count * MINUTE
}

function hours(count: number): number {
  return count * HOUR
}
