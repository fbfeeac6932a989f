import { boundedTime } from '../lib/clock/bounds.ts'
import { isStillQueued } from '../service/domain/jobs.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import type { FailedJob } from '../storage/store/rows.ts'
import type { Generation } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'

/** Pauses before a job that failed is tried again, milliseconds on its clock; then it is given up. */
export const JOB_GAPS = [1_000, 10_000, 60_000, 600_000, 3_600_000]

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
