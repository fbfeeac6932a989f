/** Makes the attempts of callbacks that are due. */
import type { Log } from '../lib/log/log.ts'
import { isStillQueued, type Look, type Tx } from '../service/domain/context.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { CallbackRow } from '../storage/store/payment-rows.ts'
import { type Generation, HEARD } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { attempt, type CallbackJob, type DeliveryRoute } from './attempt.ts'
import { type Attempts, type EndedAttempt, logAttempt, recordAttempts } from './record-attempts.ts'
import { applyRewrites } from './rewrite.ts'
import { readSignatures } from './signatures/read-signatures.ts'
import { type FirstSecret, keysOf, secretsOf, type WorldSecret } from './signatures/secrets.ts'
import { verifiedIn, type VerifiedTarget } from './target.ts'

/** Thrown by work that may not be done just now: the job stays as it is, and is tried again. */
export class DelayedError extends Error {
  /** Milliseconds on the wall until it is worth trying. */
  readonly wait: number

  constructor(why: string, wait: number) {
    super(`delayed: ${why}; tried again in ${Math.ceil(wait / 1000)} s`)
    this.wait = wait
  }
}

/**
 * Makes and records the attempt of a job, enqueues the next one of the plan, and returns a short result. Never throws for
 * the receiver.
 * @throws DelayedError if the world has used all attempts of this minute
 */
export type Deliver = (world: World, job: CallbackJob, generation: Generation) => Promise<string>

export interface DeliveryOptions extends DeliveryRoute {
  /** Opens the world to whose inbox an address may lead. */
  readonly openInbox?: (url: string) => Promise<unknown> | undefined
  readonly firstSecret: FirstSecret
  readonly log: Log
}

/** Delivers callbacks over a route. */
export const createDelivery =
  (options: DeliveryOptions): Deliver =>
  async (world, job, generation) => {
    const { callback_id, copies = 1 } = job.task
    const due = await world.read((look) => findDue(look, world, callback_id, options), HEARD)
    if (!due) return told(options.log, await endJob(world, job, generation, () => NO_CALLBACK))
    const url = applyRewrites(due.callback.url, options.rewrites)
    const opening = options.openInbox?.(url)
    if (opening) await opening
    // What stays in the sandbox is no trouble to anybody.
    if (!options.staysInside(url)) await requireRate(world, copies)
    const sent = await send(world, job, due, options)
    // Cut off by our own end: the job stays, so that it is sent after the restart.
    if (!sent) return 'the sandbox was closed meanwhile'
    const ended = await endJob(world, job, generation, (tx) => {
      const callback = tx.rows.get('callbacks', callback_id)
      return callback ? recordAttempts(tx, world, { callback, job, ...sent }) : NO_CALLBACK
    })
    return told(options.log, ended)
  }

const NO_CALLBACK = 'there is no such callback any more'

/** A pending callback with its signing keys. */
interface DueCallback {
  readonly callback: CallbackRow
  /** The verified receivers of the world, or undefined if receivers need no verification. */
  readonly verified: readonly VerifiedTarget[] | undefined
  /** Newest first. */
  readonly secrets: readonly WorldSecret[]
}

function findDue(
  look: Look,
  world: World,
  callback_id: number,
  { onlyVerified, firstSecret }: DeliveryOptions,
): DueCallback | undefined {
  const callback = look.rows.get('callbacks', callback_id)
  const verified = onlyVerified ? verifiedIn(look) : undefined
  return callback && { callback, verified, secrets: secretsOf(look, world.name, firstSecret) }
}

/**
 * Deletes a job in the same change that writes its result.
 * @param work returns the attempts that it wrote, or why there are none
 * @returns the result of `work`, or why the job is obsolete
 */
function endJob(
  world: World,
  job: CallbackJob,
  generation: Generation,
  work: (tx: Tx) => readonly EndedAttempt[] | string,
): Promise<readonly EndedAttempt[] | string> {
  return world.change((tx) => {
    // The world was reset while this was on its way: nothing of it is written.
    if (!isStillQueued(tx, job, generation)) return 'the world was reset meanwhile'
    tx.rows.delete('jobs', job.id)
    return work(tx)
  })
}

/** Sends all copies of a callback at once; undefined when the sandbox was closed meanwhile. */
async function send(
  { name, clock, settings }: World,
  { task }: CallbackJob,
  { callback, verified, secrets }: DueCallback,
  options: DeliveryOptions,
): Promise<Omit<Attempts, 'callback' | 'job'> | undefined> {
  const at = clock.now()
  const wall_at = clock.date()
  const began = clock.wall()
  const context = {
    world: name,
    verified,
    signatures: readSignatures(settings.signatures),
    keys: keysOf(secrets),
    timeout: settings.callback_timeout,
    wall: wall_at,
    failed: task.failed ?? 0,
  }
  const results = await Promise.all(
    Array.from({ length: task.copies ?? 1 }, (_, copy) => attempt(options, callback, { ...context, copy })),
  )
  if (!results.every((result) => result !== undefined)) return undefined
  return { results, times: { at, wall_at, duration_ms: clock.wall() - began }, finished: clock.date() }
}

/** @throws DelayedError when the world has made all attempts that it may make for now */
async function requireRate({ budget }: World, copies: number): Promise<void> {
  // The minute's limit first: an attempt that waits for the next minute must not use up one of the day.
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

/** Logs attempts and returns a short result, or why there are none. */
function told(log: Log, ended: readonly EndedAttempt[] | string): string {
  if (typeof ended === 'string') return ended
  for (const each of ended) logAttempt(log, each)
  return ended.map(wordsFor).join('; ')
}

function wordsFor({ status, error, next_at }: EndedAttempt): string {
  const what = status === null ? error : `answered ${status}`
  return next_at === null ? what : `${what}; next attempt ${exactTime(next_at)}`
}
