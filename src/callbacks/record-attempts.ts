/** Records ended attempts and their consequences. */
import { boundedTime } from '../lib/clock/bounds.ts'
import type { Log } from '../lib/log/log.ts'
import { hideAddresses } from '../lib/log/redact.ts'
import { next, type Tx, addJob } from '../service/domain/context.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { AttemptRow, CallbackRow } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import type { AttemptResult, CallbackJob } from './attempt.ts'
import { planRetry, RETRY_PROFILES, type RetryProfile } from './retry.ts'

/** Callbacks that are over, a world. */
const CALLBACKS_KEPT = 1_000
/** Attempts, a callback. */
const ATTEMPTS_KEPT = 100

/** The results of copies of a callback that left together. */
export interface Attempts {
  readonly callback: CallbackRow
  readonly job: CallbackJob
  readonly results: readonly AttemptResult[]
  readonly times: Pick<AttemptRow, 'at' | 'wall_at' | 'duration_ms'>
  /** Milliseconds on the wall. */
  readonly finished: number
}

interface Attempt extends Omit<Attempts, 'results'> {
  readonly result: AttemptResult
  readonly last: boolean
}

/**
 * Records copies that left together, the delivered ones last. The last one decides the state of the callback: if any was
 * delivered, none is retried.
 */
export function recordAttempts(
  tx: Tx,
  world: World,
  { callback, results, ...rest }: Attempts,
): readonly EndedAttempt[] {
  const ordered = results.toSorted((a, b) => Number(isDelivered(a)) - Number(isDelivered(b)))
  return ordered.map((result, n) =>
    record(tx, world, {
      ...rest,
      callback: tx.rows.get('callbacks', callback.id) ?? callback,
      result,
      last: n === ordered.length - 1,
    }),
  )
}

/** Records an attempt and its consequences. */
function record(tx: Tx, world: World, attempt: Attempt): EndedAttempt {
  const { callback, job, result, last, times } = attempt
  const id = next(tx, 'attempt')
  const next_at = last ? conclude(tx, attempt, id) : null
  const { hopeless: _, code: __, ...shown } = result
  tx.rows.insert('attempts', {
    id,
    callback_id: callback.id,
    ...times,
    ...shown,
    // In a world without room the answer is not kept: receivers must not fill it further.
    ...(world.budget.isSpent('rows', world.bytes) && { answer_headers: {}, answer_body: '' }),
    next_at,
  })
  forgetOld(tx, callback.id)
  const about = tx.rows.get('transactions', callback.transaction_id)
  return {
    ...shown,
    world: world.name,
    reference: about?.reference,
    external_reference: about?.external_reference || undefined,
    callback: callback.id,
    number: (job.task.failed ?? 0) + 1,
    profile: callback.retry?.profile ?? tx.settings.retry_profile,
    duration_ms: times.duration_ms,
    next_at,
  }
}

/** Writes the callback's new state and enqueues the next attempt; answers when that is due, null when none is. */
function conclude(tx: Tx, { callback, job, result, finished }: Attempt, attempt_id: number): number | null {
  const { status, answer_headers, hopeless } = result
  const delivered = isDelivered(result)
  const failed = (job.task.failed ?? 0) + 1
  const { retry_profile, retry_speed, retry_jitter } = tx.settings
  const jitter = tx.random.fraction('retry jitter', callback.id * 1_000 + failed) * 2 - 1
  const delay =
    delivered || hopeless
      ? null
      : planRetry(
          callback.retry?.profile ?? retry_profile,
          failed,
          { status, retryAfter: answer_headers['retry-after'], nowMs: finished },
          { speed: callback.retry?.speed ?? retry_speed, jitter: retry_jitter === 'on' ? jitter : 0 },
        )
  if (delay !== null) addJob(tx, delay, { kind: 'callback', callback_id: callback.id, failed })
  // Of a callback that is sent several times, the success of one copy is the callback's.
  const queued = tx.rows.find('jobs', 'callback', callback.id).length > 0
  const state = delivered || callback.state === 'delivered' ? 'delivered' : queued ? 'pending' : 'failed'
  if (state !== 'pending') tx.rows.put('callbacks', { ...callback, state, ended_by: attempt_id })
  return delay === null ? null : boundedTime(tx.now + delay)
}

const isDelivered = ({ status }: AttemptResult) => status !== null && status >= 200 && status < 300

/** Forgets the oldest attempts of a callback and the oldest callbacks that are over, where there are too many; none that is not over. */
function forgetOld(tx: Tx, callback_id: number): void {
  const attempts = tx.rows.find('attempts', 'callback', callback_id)
  for (const old of attempts.slice(0, Math.max(0, attempts.length - ATTEMPTS_KEPT)))
    tx.rows.delete('attempts', old.id)

  const excess = tx.rows.count('callbacks', 'over', 1) - CALLBACKS_KEPT
  if (excess <= 0) return
  for (const { id } of tx.rows.walk('callbacks', 'over', 1, { offset: 0, limit: excess })) {
    tx.rows.delete('callbacks', id)
    for (const attempt of tx.rows.find('attempts', 'callback', id)) tx.rows.delete('attempts', attempt.id)
  }
}

/** An attempt that has ended, and whose it was. */
export interface EndedAttempt {
  readonly world: string
  readonly reference: string | undefined
  readonly external_reference: string | undefined
  readonly callback: number
  readonly url: string
  /** The number of attempts including this one. */
  readonly number: number
  readonly profile: RetryProfile
  readonly status: number | null
  readonly error: string
  readonly advice: string
  readonly duration_ms: number
  /** On the world's clock; null when there is none. */
  readonly next_at: number | null
}

/** Logs an attempt: failures with the reason, and the last one at `warn`. */
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
    url: hideAddresses(url),
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
