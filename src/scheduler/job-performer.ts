import { AsyncResource } from 'node:async_hooks'
import { isStillQueued, type Look } from '../service/domain/context.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import { type Generation, HEARD, StoreUnavailable } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import { boundedTime } from '../lib/clock/clock.ts'
import type { FailedJob } from '../storage/store/rows.ts'
import type { Due, WorldWork, WorldWorks } from './world-work.ts'
import { DelayedError } from '../callbacks/deliver.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import { type ConcurrencyLimits, createConcurrencyLimiter } from '../callbacks/limits.ts'
import type { JobOwnership } from './job-ownership.ts'

interface ReadJob {
  readonly job: JobRow
  readonly generation: Generation
}

export function readJob({ rows }: Look, id: number): ReadJob | undefined {
  const job = rows.get('jobs', id)
  return job && { job, generation: rows.generation }
}

/**
 * Runs a job and deletes its row in the same change, if the row is unchanged. Returns a short description of the result.
 * @param generation - Of the rows that the job was read from.
 */
export type RunJob = (world: World, job: JobRow, generation: Generation) => Promise<string>

export interface Dispatch {
  /** The receiver, whose concurrent requests are limited. */
  readonly target: string
  /** Jobs of a series run one after another, in due order. */
  readonly series: string
  /** Whether it waits for an earlier job of the series that failed and will be retried. */
  readonly held: boolean
}

/** Returns null for jobs that do not use the network. */
export type DispatchOf = (look: Look, job: JobRow) => Dispatch | null

/** @param next_at - When the job is retried, milliseconds on the world's clock, or null if it is given up. */
export type OnJobError = (error: unknown, job: JobRow | undefined, next_at?: number | null) => void

export interface JobRun {
  readonly job: JobRow
  readonly result: string
}

/** Delays before each retry, milliseconds on the job's clock; then the job is given up. */
const JOB_GAPS = [1_000, 10_000, 60_000, 600_000, 3_600_000]

const ERROR_KEPT = 500

/**
 * Returns what a failed job's row contains.
 * @param before - The previous failure.
 * @param now - Milliseconds on the job's clock.
 * @returns `next_at` is null if the job is given up
 */
export function failureOf(
  before: FailedJob | undefined,
  now: number,
  error: unknown,
): { readonly failed: FailedJob; readonly next_at: number | null } {
  const times = (before?.times ?? 0) + 1
  const gap = JOB_GAPS[times - 1]
  const failed = { times, at: now, error: String(error).slice(0, ERROR_KEPT), abandoned: gap === undefined }
  return { failed, next_at: gap === undefined ? null : boundedTime(now + gap) }
}

/**
 * Writes a failure to a job's row. A job that is given up is tried once more at the next start.
 * @returns when it is retried, on the world's clock, or null if it is given up or gone
 */
export async function postpone(
  world: World,
  job: JobRow,
  generation: Generation,
  error: unknown,
): Promise<number | null> {
  return world.change((tx) => {
    const { rows, now } = tx
    if (!isStillQueued(tx, job, generation)) return null
    const { failed, next_at } = failureOf(job.failed, now, error)
    rows.put('jobs', { ...job, due_at: next_at ?? job.due_at, failed })
    return next_at
  })
}

interface DueJob extends ReadJob {
  readonly due: Due
  readonly dispatch: Dispatch | null
}

/**
 * Removes and returns the next job in a world's queue that is due by `time` and may run. Jobs that have to wait for their series
 * are parked; those that cannot be dispatched fail.
 */
export async function nextDue(
  world: World,
  work: WorldWork,
  time: number,
  dispatchOf: DispatchOf,
  performer: JobPerformer,
): Promise<DueJob | undefined> {
  for (;;) {
    const due = work.queue.takeUntil(time)
    if (!due) return undefined
    const { freed } = work
    const found = await world.read((look) => {
      work.generation ??= look.rows.generation
      const read = readJob(look, due.id)
      // A rescheduled job is in the queue again with its new time.
      if (!read || read.job.due_at > due.at) return undefined
      try {
        return { ...read, dispatch: dispatchOf(look, read.job), error: undefined }
      } catch (error) {
        return { ...read, dispatch: null, error: { error } }
      }
      // The rows in memory are recent enough: no other process runs jobs of this world.
    }, HEARD)
    if (!found) continue
    if (found.error) {
      await performer.fail(world, work, found, found.error.error)
      continue
    }
    if (!found.dispatch) return { ...found, due }
    const { series, held } = found.dispatch
    // The job that held it may have ended in the meantime.
    if (held && freed !== work.freed) work.queue.add(due)
    else if (held || work.isBusy(series)) work.park(series, due)
    else return { ...found, due }
  }
}

/** Delay of a retry after a failure that could not be written, milliseconds on the world's clock. */
const UNWRITTEN_GAP = 60_000
/** The same if another process was changing the world, in real time. */
const REFUSED_GAP = 5_000

export type JobPerformer = ReturnType<typeof createJobPerformer>

/** Runs jobs and reschedules those that fail. Never throws because of a job. */
export function createJobPerformer(works: WorldWorks, run: RunJob, onError: OnJobError) {
  const all = new Set<Promise<unknown>>()

  function begin(world: World, work: WorldWork, read: ReadJob): Promise<string> {
    const { job, generation } = read
    const already = work.running.get(job.id)
    if (already) return already
    const running = run(world, job, generation)
      .catch((error: unknown) =>
        error instanceof DelayedError ? delay(world, work, read, error) : fail(world, work, read, error),
      )
      .finally(() => {
        work.running.delete(job.id)
        all.delete(running)
      })
    work.running.set(job.id, running)
    all.add(running)
    return running
  }

  /** Reschedules a failed job. If that cannot be written, the job is queued again in this process only. */
  async function fail(world: World, work: WorldWork, read: ReadJob, error: unknown): Promise<string> {
    const result = `failed: ${String(error)}`
    if (!works.isCurrent(world.name, work)) return result
    const { job, generation } = read
    try {
      const next_at = await postpone(world, job, generation, error)
      report(error, world, work, read, next_at)
      return `${result}; ${next_at === null ? 'given up' : `next attempt ${exactTime(next_at)}`}`
    } catch (unwritten) {
      report(error, world, work, read)
      report(unwritten, world, work, read)
      const { clock } = world
      const isRefused = unwritten instanceof StoreUnavailable
      const gap = isRefused ? REFUSED_GAP * Math.max(clock.state.speed, 1) : UNWRITTEN_GAP
      work.defer({ at: boundedTime(clock.now() + gap), id: job.id })
      return result
    }
  }

  /** Reports an error, unless the store was closed or the world reset in the meantime. */
  function report(
    error: unknown,
    world: World,
    work: WorldWork,
    read?: ReadJob,
    next_at?: number | null,
  ): void {
    if (works.isCurrent(world.name, work)) onError(error, read?.job, next_at)
  }

  return {
    /**
     * Runs a job, or waits for it if it is running. Returns its result. Not in the context of a request: the store would refuse the
     * changes of a job with those of the request.
     */
    perform: AsyncResource.bind(begin),
    fail,
    report,
    async ended(): Promise<void> {
      await Promise.all(all)
    },
  }
}

/** Queues a job again that must not run yet. */
function delay(world: World, work: WorldWork, { job }: ReadJob, { wait, message }: DelayedError): string {
  work.defer({ at: world.clock.now() + Math.ceil(wait * world.clock.state.speed), id: job.id })
  return message
}

interface QueuedJob {
  readonly world: World
  readonly work: WorldWork
  readonly id: number
  readonly at: number
  readonly series: string
}

const LIMITS: ConcurrencyLimits = { perTarget: 64, perWorld: 128, total: 512 }

interface DispatcherOptions {
  readonly works: WorldWorks
  readonly ownership: JobOwnership
  readonly performer: JobPerformer
  readonly limits?: Partial<ConcurrencyLimits> | undefined
  readonly onEnd: (world: World) => void
}

export type Dispatcher = ReturnType<typeof createDispatcher>

/** Runs jobs that use the network concurrently, within limits. */
export function createDispatcher({ works, ownership, performer, limits, onEnd }: DispatcherOptions) {
  const limiter = createConcurrencyLimiter<QueuedJob>({ ...LIMITS, ...limits }, perform)

  async function perform(entry: QueuedJob): Promise<void> {
    const { world, work, series } = entry
    try {
      await performIfDue(entry)
    } catch (error) {
      performer.report(error, world, work)
    } finally {
      work.endDispatch(series)
      onEnd(world)
    }
  }

  async function performIfDue({ world, work, id, at }: QueuedJob): Promise<void> {
    if (works.closed) return
    // The ownership expired in the meantime: the job is queued again, and the world claimed before it runs.
    if (!ownership.has(world.name)) return work.queue.add({ at, id })
    const job = await world.read((look) => readJob(look, id), HEARD)
    if (job && works.isCurrent(world.name, work)) await performer.perform(world, work, job)
  }

  return {
    add(world: World, work: WorldWork, { due, dispatch }: DueJob & { readonly dispatch: Dispatch }): void {
      const { target, series } = dispatch
      work.beginDispatch(series)
      limiter.add(world.name, target, { world, work, ...due, series })
    },
    /** Puts waiting jobs back into the queue of their world. */
    takeBack(name: string, work: WorldWork): void {
      for (const { at, id, series } of limiter.takeBack(name, (entry) => entry.work === work)) {
        work.endDispatch(series)
        work.queue.add({ at, id })
      }
    },
    /** Resolves when a job that bypasses the limits may start. */
    async inPace(name: string, dispatch: Dispatch | null): Promise<void> {
      const pause = limits?.pause
      if (!pause || !dispatch) return
      const { target } = dispatch
      for (let wait = pause(name, target); wait > 0 && !works.closed; wait = pause(name, target))
        await new Promise((resolve) => setTimeout(resolve, wait))
    },
    get isPaced() {
      return limits?.pause !== undefined
    },
    get traffic() {
      return { running: limiter.running, waiting: limiter.waiting }
    },
    close(): void {
      limiter.close()
    },
  }
}
