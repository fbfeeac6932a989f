import { boundedTime } from '../clock/bounds.ts'
import type { Tx } from '../domain/context.ts'
import { next } from '../domain/counters.ts'
import { addJob, isStillQueued } from '../domain/jobs.ts'
import { exactTime } from '../domain/wire-time.ts'
import type { Log } from '../log.ts'
import type { AttemptRow, CallbackRow, JobRow } from '../store/rows.ts'
import { type Generation, HEARD } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import { attempt, type AttemptResult, type DeliveryRoute } from './attempt.ts'
import { type EndedAttempt, logAttempt } from './attempt-log.ts'
import { planRetry } from './retry.ts'
import { applyRewrites } from './rewrite.ts'
import { verifiedIn } from './verified-targets.ts'
import { readSignatures } from '../signatures/read-signatures.ts'
import type { FirstSecret } from '../signatures/secrets.ts'
import { keysOf, secretsOf } from '../signatures/world-secrets.ts'

/** Callbacks that are over, a world. */
export const CALLBACKS_KEPT = 1_000
/** Attempts, a callback. */
export const ATTEMPTS_KEPT = 100

/** Thrown by work that may not be done just now: the job stays as it is, and is tried again. */
export class DelayedError extends Error {
  /** Milliseconds on the wall until it is worth trying. */
  readonly wait: number

  constructor(why: string, wait: number) {
    super(`delayed: ${why}; tried again in ${Math.ceil(wait / 1000)} s`)
    this.wait = wait
  }
}

/** The job of one attempt. */
export type CallbackJob = JobRow & { readonly task: { readonly kind: 'callback' } }

/**
 * Makes the attempt of a job, records it, and enqueues the next one where the plan has one. Answers what came of it in
 * a few words. Never throws for the receiver. @throws DelayedError when the world has made all attempts of this minute
 */
export type Deliver = (world: World, job: CallbackJob, generation: Generation) => Promise<string>

export interface DeliveryOptions extends DeliveryRoute {
  /** Opens the world to whose inbox an address may lead. */
  readonly openInbox?: (url: string) => Promise<unknown> | undefined
  readonly firstSecret: FirstSecret
  readonly log: Log
}

export const createDelivery =
  (options: DeliveryOptions): Deliver =>
  async (world, job, generation) => {
    const { callback_id, copies = 1 } = job.task
    const { settings } = world
    const found = await world.read((look) => {
      const callback = look.rows.get('callbacks', callback_id)
      const verified = options.onlyVerified ? verifiedIn(look) : undefined
      return callback && { callback, verified, secrets: secretsOf(look, world.name, options.firstSecret) }
    }, HEARD)
    const opening = found && options.openInbox?.(applyRewrites(found.callback.url, options.rewrites))
    if (opening) await opening
    if (found) await requireRate(world, options, found.callback.url, copies)
    const at = world.clock.now()
    const wall_at = world.clock.date()
    const began = world.clock.wall()
    const sending = found && {
      world: world.name,
      verified: found.verified,
      signatures: readSignatures(settings.signatures),
      keys: keysOf(found.secrets),
      timeout: settings.callback_timeout,
      wall: wall_at,
      failed: job.task.failed ?? 0,
    }
    const results = await Promise.all(
      Array.from({ length: found ? copies : 0 }, (_, copy) =>
        attempt(options, found!.callback, { ...sending!, copy }),
      ),
    )
    // Cut off by our own end: the job stays, so that it is sent after the restart.
    if (results.includes(undefined)) return 'the sandbox was closed meanwhile'
    const times = { at, wall_at, duration_ms: world.clock.wall() - began }
    const finished = world.clock.date()
    const ended = await world.change((tx) => {
      // Whoever reset the world while this was on its way wants nothing of it.
      if (!isStillQueued(tx, job, generation)) return 'the world was reset meanwhile'
      tx.rows.delete('jobs', job.id)
      const callback = tx.rows.get('callbacks', callback_id)
      if (!callback || !found) return 'there is no such callback any more'
      return recordAll(tx, world, { callback, job, results: results as AttemptResult[], times, finished })
    })
    if (typeof ended === 'string') return ended
    for (const each of ended) logAttempt(options.log, each)
    return ended.map(wordsFor).join('; ')
  }

interface Attempt {
  readonly callback: CallbackRow
  readonly job: CallbackJob
  readonly result: AttemptResult
  /** Of the copies that left together. */
  readonly last: boolean
  readonly times: Pick<AttemptRow, 'at' | 'wall_at' | 'duration_ms'>
  /** Milliseconds on the wall. */
  readonly finished: number
}

/**
 * Writes what came of the copies that left together. What one of them brought about is the callback's: only the last to be
 * written, which is one that was delivered if any was, is followed by another attempt.
 */
function recordAll(
  tx: Tx,
  world: World,
  {
    callback,
    results,
    ...rest
  }: Omit<Attempt, 'result' | 'last'> & { readonly results: readonly AttemptResult[] },
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

/** Writes the attempt and what follows of it. */
function record(
  tx: Tx,
  world: World,
  { callback, job, result, last, times, finished }: Attempt,
): EndedAttempt {
  const id = next(tx, 'attempt')
  const next_at = last ? conclude(tx, callback, job, id, result, finished) : null
  const { hopeless: _, code: __, ...shown } = result
  tx.rows.insert('attempts', {
    id,
    callback_id: callback.id,
    ...times,
    ...shown,
    // A receiver must not fill a world that has no room.
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

/** What stays in the sandbox is no trouble to anybody. */
async function requireRate(
  { budget }: World,
  { staysInside, rewrites }: DeliveryRoute,
  url: string,
  copies: number,
): Promise<void> {
  if (staysInside(applyRewrites(url, rewrites))) return
  // That of the minute first: what waits for the next one is then not counted of the day.
  for (let copy = 0; copy < copies; copy++)
    for (const [item, window] of [
      ['callbacks', 'minute'],
      ['callbacks_a_day', 'day'],
    ] as const) {
      const wait = await budget.wait(item)
      if (wait > 0)
        throw new DelayedError(`this world has made ${budget.limits[item]} attempts in this ${window}`, wait)
    }
}

/** Writes the callback's new state and enqueues the next attempt; answers when that is due, null when none is. */
function conclude(
  tx: Tx,
  callback: CallbackRow,
  job: CallbackJob,
  attempt_id: number,
  result: AttemptResult,
  nowMs: number,
): number | null {
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
          { status, retryAfter: answer_headers['retry-after'], nowMs },
          { speed: callback.retry?.speed ?? retry_speed, jitter: retry_jitter === 'on' ? jitter : 0 },
        )
  if (delay !== null) addJob(tx, delay, { kind: 'callback', callback_id: callback.id, failed })
  // Of a callback that is sent twice, one copy's success is the callback's.
  const queued = tx.rows.find('jobs', 'callback', callback.id).length > 0
  const state = delivered || callback.state === 'delivered' ? 'delivered' : queued ? 'pending' : 'failed'
  if (state !== 'pending') tx.rows.put('callbacks', { ...callback, state, ended_by: attempt_id })
  return delay === null ? null : boundedTime(tx.now + delay)
}

const isDelivered = ({ status }: AttemptResult) => status !== null && status >= 200 && status < 300

function wordsFor({ status, error, next_at }: EndedAttempt): string {
  const what = status === null ? error : `answered ${status}`
  return next_at === null ? what : `${what}; next attempt ${exactTime(next_at)}`
}

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
