import { exactTime } from '../service/domain/wire-time.ts'
import type { Log } from '../lib/log/log.ts'
import { RETRY_PROFILES, type RetryProfile } from './retry.ts'

/** An attempt that has ended, and whose it was. */
export interface EndedAttempt {
  readonly world: string
  /** Of the transaction. */
  readonly reference: string | undefined
  readonly external_reference: string | undefined
  readonly callback: number
  readonly url: string
  /** How many there have been with this one. */
  readonly number: number
  readonly profile: RetryProfile
  readonly status: number | null
  readonly error: string
  readonly advice: string
  readonly duration_ms: number
  /** On the world's clock; null when there is none. */
  readonly next_at: number | null
}

/** Writes a line for an attempt: one that failed with the reason, one that was the last so that it is seen at `warn` too. */
export function logAttempt(log: Log, ended: EndedAttempt): void {
  const {
    world,
    reference,
    external_reference,
    callback,
    url,
    number,
    profile,
    status,
    error,
    advice,
    duration_ms,
    next_at,
  } = ended
  const delivered = status !== null && status >= 200 && status < 300
  if (delivered && !log.writes('debug')) return
  const of = Math.max(number, RETRY_PROFILES[profile].length + 1)
  const about = {
    world,
    reference,
    external_reference,
    callback,
    attempt: number,
    of,
    url,
    status,
    ms: duration_ms,
  }
  if (delivered) return log.debug('callback attempt', about)
  const failed = {
    ...about,
    error: error || `answered ${status}`,
    advice: advice || undefined,
    next_attempt_at: next_at === null ? null : exactTime(next_at),
  }
  if (next_at === null) log.warn('callback given up', failed)
  else log.info('callback attempt', failed)
}
