import { boundedTime } from '../clock/bounds.ts'
import { isStillQueued } from '../domain/jobs.ts'
import type { JobRow } from '../store/rows.ts'
import type { Generation } from '../store/store.ts'
import type { World } from '../worlds/world.ts'

/** Pauses on the world's clock before a job that failed is tried again, milliseconds; then it is given up. */
export const JOB_GAPS = [1_000, 10_000, 60_000, 600_000, 3_600_000]

/** An error's text can be long; so much of it is kept. */
const ERROR_KEPT = 500

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
    const times = (job.failed?.times ?? 0) + 1
    const gap = JOB_GAPS[times - 1]
    const failed = { times, at: now, error: String(error).slice(0, ERROR_KEPT), given_up: gap === undefined }
    const next_at = gap === undefined ? null : boundedTime(now + gap)
    rows.put('jobs', { ...job, due_at: next_at ?? job.due_at, failed })
    return next_at
  })
}
