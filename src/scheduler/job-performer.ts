/** A job of a world: how it is read, done, and sent over the network. */
import { isStillQueued, type Look } from '../service/domain/context.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import { type Generation, HEARD } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { boundedTime } from '../lib/clock/bounds.ts'
import type { FailedJob } from '../storage/store/rows.ts'
import type { Due, WorldWork, WorldWorks } from './world-work.ts'
import { DelayedError } from '../callbacks/deliver.ts'
import { exactTime } from '../service/domain/wire-time.ts'

/** A job, and the rows that it was read from. */
interface OwedJob {
  readonly job: JobRow
  readonly generation: Generation
}

/** A job as it is owed now; undefined when it is done. */
export function owedJob({ rows }: Look, id: number): OwedJob | undefined {
  const job = rows.get('jobs', id)
  return job && { job, generation: rows.generation }
}

/**
 * Does one job and takes its row out in the change that makes it done; answers what came of it, in a few words.
 * @param generation of the rows the job was read from: it is done only while it is owed as it was there
 */
export type RunJob = (world: World, job: JobRow, generation: Generation) => Promise<string>

/** How a job that goes over the network is sent among others. */
export interface Dispatch {
  /** Whom it goes to: only so many go to one target at a time. */
  readonly target: string
  /** Jobs of one series run one after another, in due order. */
  readonly series: string
  /** An earlier one of the series failed and is tried again later: this one waits for it. */
  readonly held: boolean
}

/** How a job goes over the network; null for one that is done at once, in turn. */
export type DispatchOf = (look: Look, job: JobRow) => Dispatch | null

/**
 * Told of what went wrong.
 * @param next_at when the job is tried again, milliseconds on the world's clock; null when it is given up
 */
export type OnJobError = (error: unknown, job: JobRow | undefined, next_at?: number | null) => void

/** A job that ran, and what came of it. */
export interface JobRun {
  readonly job: JobRow
  readonly result: string
}

/** Pauses before a job that failed is tried again, milliseconds on its clock; then it is given up. */
const JOB_GAPS = [1_000, 10_000, 60_000, 600_000, 3_600_000]

/** An error's text can be long; so much of it is kept. */
const ERROR_KEPT = 500

/**
 * What is put on record of a job that failed.
 * @param before what was on record of earlier failures
 * @param now milliseconds on the job's clock
 * @returns next_at when it is tried again; null when it is given up
 */
export function failureOf(
  before: FailedJob | undefined,
  now: number,
  error: unknown,
): { readonly failed: FailedJob; readonly next_at: number | null } {
  const times = (before?.times ?? 0) + 1
  const gap = JOB_GAPS[times - 1]
  const failed = { times, at: now, error: String(error).slice(0, ERROR_KEPT), given_up: gap === undefined }
  return { failed, next_at: gap === undefined ? null : boundedTime(now + gap) }
}

/**
 * Writes on a job's row that it failed and when it is tried again; one that is given up stays on record, and the next
 * start tries it once more.
 * @param generation of the rows the job was read from
 * @returns that time on the world's clock; null when it is given up or gone
 */
export function postpone(
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

export interface DueJob extends OwedJob {
  readonly due: Due
  readonly dispatch: Dispatch | null
}

/**
 * Takes the next job that is due by `time` and may run out of a world's queue. What has to wait for its series is parked,
 * and what cannot be dispatched has failed.
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
      const owed = owedJob(look, due.id)
      // It was planned anew since, and is in the queue for its new time, too.
      if (!owed || owed.job.due_at > due.at) return undefined
      try {
        return { ...owed, dispatch: dispatchOf(look, owed.job), error: undefined }
      } catch (error) {
        return { ...owed, dispatch: null, error: { error } }
      }
      // What this process knows of the rows is enough: no other one runs jobs of this world.
    }, HEARD)
    if (!found) continue
    if (found.error) {
      await performer.fail(world, work, found, found.error.error)
      continue
    }
    if (!found.dispatch) return { ...found, due }
    const { series, held } = found.dispatch
    // A job that ended while this one was looked up may be the one that held it.
    if (held && freed !== work.freed) work.queue.add(due)
    else if (held || work.isBusy(series)) work.park(series, due)
    else return { ...found, due }
  }
}

/** Until a job is tried again whose failure could not be written, milliseconds on the world's clock. */
const UNWRITTEN_GAP = 60_000

/** Does jobs one by one and plans anew those that fail. Nothing here throws for a job. */
export class JobPerformer {
  readonly #works: WorldWorks
  readonly #run: RunJob
  readonly #onError: OnJobError
  readonly #running = new Set<Promise<unknown>>()

  constructor(works: WorldWorks, run: RunJob, onError: OnJobError) {
    this.#works = works
    this.#run = run
    this.#onError = onError
  }

  /** Does a job, or waits for it when it runs already; answers what came of it. */
  perform(world: World, work: WorldWork, owed: OwedJob): Promise<string> {
    const { job, generation } = owed
    const already = work.running.get(job.id)
    if (already) return already
    const running = this.#run(world, job, generation)
      .catch((error: unknown) =>
        error instanceof DelayedError ? delay(world, work, owed, error) : this.fail(world, work, owed, error),
      )
      .finally(() => {
        work.running.delete(job.id)
        this.#running.delete(running)
      })
    work.running.set(job.id, running)
    this.#running.add(running)
    return running
  }

  /** Plans a job that failed anew. Where that cannot be written either, it is queued again in this process alone. */
  async fail(world: World, work: WorldWork, owed: OwedJob, error: unknown): Promise<string> {
    const said = `failed: ${String(error)}`
    if (!this.#works.isCurrent(world.name, work)) return said
    const { job, generation } = owed
    try {
      const next_at = await postpone(world, job, generation, error)
      this.report(error, world, work, owed, next_at)
      return `${said}; ${next_at === null ? 'given up' : `next attempt ${exactTime(next_at)}`}`
    } catch (unwritten) {
      this.report(error, world, work, owed)
      this.report(unwritten, world, work, owed)
      work.defer({ at: boundedTime(world.clock.now() + UNWRITTEN_GAP), id: job.id })
      return said
    }
  }

  /** Reports an error, unless it came of the store being closed or the world being reset meanwhile. */
  report(error: unknown, world: World, work: WorldWork, owed?: OwedJob, next_at?: number | null): void {
    if (this.#works.isCurrent(world.name, work)) this.#onError(error, owed?.job, next_at)
  }

  /** Resolves when what runs now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }
}

/** Comes back later to a job that may not be done just now. */
function delay(world: World, work: WorldWork, { job }: OwedJob, { wait, message }: DelayedError): string {
  work.defer({ at: world.clock.now() + Math.ceil(wait * world.clock.state.factor), id: job.id })
  return message
}
