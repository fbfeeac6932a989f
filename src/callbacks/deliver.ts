/** Makes and records the attempts of due callbacks. */
import { boundedTime } from '../lib/clock/clock.ts'
import type { Log } from '../lib/log/log.ts'
import { hideAddresses } from '../lib/log/redact.ts'
import { addJob, isStillQueued, type Look, next, type Tx } from '../service/domain/context.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { AttemptRow, CallbackRow } from '../storage/store/payment-rows.ts'
import { type Generation, HEARD } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import { attempt, type AttemptResult, type CallbackJob, type DeliveryRoute, isDelivered } from './attempt.ts'
import { planRetry, RETRY_PROFILES } from './retry.ts'
import { applyRewrites, verifiedIn } from './target.ts'
import { readSignatures } from './signatures/profiles/profiles.ts'
import { type FirstSecret, keysOf, secretsOf } from './signatures/secrets.ts'

/** Thrown by work that must wait. The job stays unchanged and runs again later. */
export class DelayedError extends Error {
  /** Milliseconds of real time until the next try. */
  readonly wait: number

  constructor(why: string, wait: number) {
    super(`delayed: ${why}; tried again in ${Math.ceil(wait / 1000)} s`)
    this.wait = wait
  }
}

interface DeliveryOptions extends DeliveryRoute {
  /** Opens the world whose inbox an address may belong to. */
  readonly openInbox?: (url: string) => Promise<unknown> | undefined
  readonly firstSecret: FirstSecret
  readonly log: Log
}

export type Deliver = ReturnType<typeof createDelivery>

/**
 * Returns a function that makes and records the attempt of a job, enqueues the next attempt, and returns a short result. It
 * never throws because of the receiver.
 * @throws DelayedError if the world has used all attempts of this minute or day
 */
export const createDelivery =
  (options: DeliveryOptions) =>
  async (world: World, job: CallbackJob, generation: Generation): Promise<string> => {
    const { callback_id, copies = 1 } = job.task
    const due = await world.read((look) => findDue(look, world, callback_id, options), HEARD)
    if (!due) return summarize(options.log, await endJob(world, job, generation, () => NO_CALLBACK))
    const url = applyRewrites(due.callback.url, options.rewrites)
    const opening = options.openInbox?.(url)
    if (opening) await opening
    // Callbacks within the sandbox are not limited.
    if (!options.staysInside(url)) await requireRate(world, copies)
    const sent = await send(world, job, due, options)
    // The job stays, and runs after the restart.
    if (!sent) return 'the sandbox was closed meanwhile'
    const ended = await endJob(world, job, generation, (tx) => {
      const callback = tx.rows.get('callbacks', callback_id)
      return callback ? recordAttempts(tx, world, { callback, job, ...sent }) : NO_CALLBACK
    })
    return summarize(options.log, ended)
  }

const NO_CALLBACK = 'the callback no longer exists'

/** A pending callback with the verified receivers of its world, if they need verification, and its secrets, newest first. */
type DueCallback = NonNullable<ReturnType<typeof findDue>>

function findDue(
  look: Look,
  world: World,
  callback_id: number,
  { onlyVerified, firstSecret }: DeliveryOptions,
) {
  const callback = look.rows.get('callbacks', callback_id)
  const verified = onlyVerified ? verifiedIn(look) : undefined
  return callback && { callback, verified, secrets: secretsOf(look, world.name, firstSecret) }
}

/**
 * Deletes a job in the same change that writes its result.
 * @param work returns the attempts that it wrote, or why there are none
 * @returns the result of `work`, or why the job is obsolete
 */
async function endJob(
  world: World,
  job: CallbackJob,
  generation: Generation,
  work: (tx: Tx) => readonly EndedAttempt[] | string,
): Promise<readonly EndedAttempt[] | string> {
  return world.change((tx) => {
    if (!isStillQueued(tx, job, generation)) return 'the world was reset meanwhile'
    tx.rows.delete('jobs', job.id)
    return work(tx)
  })
}

/** Sends all copies of a callback concurrently. Resolves to undefined if the sandbox was closed meanwhile. */
async function send(
  { name, clock, settings }: World,
  { task }: CallbackJob,
  { callback, verified, secrets }: DueCallback,
  options: DeliveryOptions,
): Promise<Omit<Attempts, 'callback' | 'job'> | undefined> {
  const at = clock.now()
  const real_at = clock.date()
  const began = clock.wall()
  const context = {
    world: name,
    verified,
    signatures: readSignatures(settings.signatures),
    keys: keysOf(secrets),
    timeout: settings.callback_timeout,
    wall: real_at,
    failed: task.failed ?? 0,
    observed: settings.observed?.callbacks?.headers,
    protection: settings.receiver_protection,
  }
  const results = await Promise.all(
    Array.from({ length: task.copies ?? 1 }, (_, copy) => attempt(options, callback, { ...context, copy })),
  )
  if (!results.every((result) => result !== undefined)) return undefined
  return { results, times: { at, real_at, duration_ms: clock.wall() - began }, finished: clock.date() }
}

async function requireRate({ budget }: World, copies: number): Promise<void> {
  // The minute first: an attempt that waits for the next minute must not count towards the day.
  for (let copy = 0; copy < copies; copy++)
    for (const [item, window] of [
      ['callbacks', 'minute'],
      ['callbacks_per_day', 'day'],
    ] as const) {
      const wait = await budget.wait(item)
      if (wait > 0)
        throw new DelayedError(`this world has made ${budget.limits[item]} attempts in this ${window}`, wait)
    }
}

/** Logs attempts and returns a short result, or the reason why there are none. */
function summarize(log: Log, ended: readonly EndedAttempt[] | string): string {
  if (typeof ended === 'string') return ended
  for (const each of ended) logAttempt(log, each)
  return ended.map(wordsFor).join('; ')
}

function wordsFor({ status, error, next_at }: EndedAttempt): string {
  const what = status === null ? error : `answered ${status}`
  return next_at === null ? what : `${what}; next attempt ${exactTime(next_at)}`
}

/** Maximum number of ended callbacks per world. */
const CALLBACKS_KEPT = 1_000
/** Maximum number of attempts per callback. */
const ATTEMPTS_KEPT = 100

interface Attempts {
  readonly callback: CallbackRow
  readonly job: CallbackJob
  readonly results: readonly AttemptResult[]
  readonly times: Pick<AttemptRow, 'at' | 'real_at' | 'duration_ms'>
  /** Real time in milliseconds. */
  readonly finished: number
}

interface Attempt extends Omit<Attempts, 'results'> {
  readonly result: AttemptResult
  readonly last: boolean
}

/**
 * Records copies that were sent together, the delivered ones last. The last one decides the state of the callback: if any was
 * delivered, none is retried.
 */
function recordAttempts(
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

function record(tx: Tx, world: World, attempt: Attempt) {
  const { callback, job, result, last, times } = attempt
  const id = next(tx, 'attempt')
  const next_at = last ? conclude(tx, attempt, id) : null
  const { hopeless: _, code: __, ...shown } = result
  tx.rows.insert('attempts', {
    id,
    callback_id: callback.id,
    ...times,
    ...shown,
    // A receiver must not fill a world that is full.
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

/** Writes the callback's new state and enqueues the next attempt. Returns its due time, or null if there is none. */
function conclude(tx: Tx, { callback, job, result, finished }: Attempt, attempt_id: number): number | null {
  const { status, answer_headers, hopeless } = result
  const delivered = isDelivered(result)
  const failed = (job.task.failed ?? 0) + 1
  const { retry_profile, retry_speed, retry_jitter, observed } = tx.settings
  const jitter = tx.random.fraction('retry jitter', callback.id * 1_000 + failed) * 2 - 1
  const delay =
    delivered || hopeless
      ? null
      : planRetry(
          callback.retry?.profile ?? observed?.callbacks?.retries?.schedule ?? retry_profile,
          failed,
          { status, retryAfter: answer_headers['retry-after'], nowMs: finished },
          { speed: callback.retry?.speed ?? retry_speed, jitter: retry_jitter === 'on' ? jitter : 0 },
        )
  if (delay !== null) addJob(tx, delay, { kind: 'callback', callback_id: callback.id, failed })
  // Other copies of the callback may still be queued or have been delivered.
  const queued = tx.rows.find('jobs', 'callback', callback.id).length > 0
  const state = delivered || callback.state === 'delivered' ? 'delivered' : queued ? 'pending' : 'failed'
  if (state !== 'pending') tx.rows.put('callbacks', { ...callback, state, ended_by: attempt_id })
  return delay === null ? null : boundedTime(tx.now + delay)
}

/** Deletes the oldest attempts of a callback and the oldest ended callbacks if there are too many. */
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

type EndedAttempt = ReturnType<typeof record>

/** Logs an attempt; the last failed one at `warn`. */
function logAttempt(log: Log, ended: EndedAttempt): void {
  const { world, reference, external_reference, callback, number, profile, status } = ended
  const { error, advice, next_at } = ended
  const delivered = isDelivered(ended)
  if (delivered && !log.writes('debug')) return
  const about = {
    world,
    reference,
    external_reference,
    callback,
    attempt: number,
    of: Math.max(number, RETRY_PROFILES[profile].length + 1),
    url: hideAddresses(ended.url),
    status,
    ms: ended.duration_ms,
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
