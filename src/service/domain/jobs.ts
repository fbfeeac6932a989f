import { boundedTime } from '../../lib/clock/bounds.ts'
import type { JobRow, JobTask } from '../../storage/store/payment-rows.ts'
import type { MailJobRow } from '../../storage/store/rows.ts'
import type { Generation } from '../../storage/store/store.ts'
import { type Look, next, type Tx } from './context.ts'

/**
 * Enqueues `task` for `after` milliseconds from now, or for the last time there is, in the change that makes it true; returns
 * the job's id.
 */
export function addJob(tx: Tx, after: number, task: JobTask): number {
  const id = next(tx, 'job')
  tx.rows.insert('jobs', { id, due_at: boundedTime(tx.now + after), task })
  return id
}

/**
 * Whether a job that was read before is queued as it was then: nobody has done it, planned it anew, or put other rows in the
 * place of its world's.
 * @param generation of the rows it was read from
 */
export function isStillQueued({ rows }: Look, job: JobRow, generation: Generation): boolean {
  return rows.generation === generation && isSameAttempt(rows.get('jobs', job.id), job)
}

/** The same of a mail. */
export function isMailStillQueued({ rows }: Look, job: MailJobRow, generation: Generation): boolean {
  return rows.generation === generation && isSameAttempt(rows.get('mailJobs', job.id), job)
}

const isSameAttempt = <Job extends Pick<JobRow, 'due_at' | 'failed'>>(row: Job | undefined, job: Job) =>
  row !== undefined && row.due_at === job.due_at && row.failed?.times === job.failed?.times

/** How many jobs a world has, those that were given up included. */
export const pendingJobs = ({ rows }: Look): number =>
  rows.count('jobs', 'due', 0) + rows.count('jobs', 'due', 1)

/** Jobs that went wrong and are not done. */
export const failingJobs = ({ rows }: Look): readonly JobRow[] => rows.find('jobs', 'failing', 'yes')
