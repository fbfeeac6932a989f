/** A job of a world: how it is read, done, and sent over the network. */
import type { Look } from '../service/domain/context.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import type { Generation } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'

/** A job, and the rows that it was read from. */
export interface OwedJob {
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
