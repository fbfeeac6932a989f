import { boundedTime } from '../clock/bounds.ts'
import type { JobRow, JobTask } from '../store/rows.ts'
import type { Look, Tx } from './context.ts'
import { next } from './counters.ts'

/**
 * Owes `task` to the world `after` milliseconds from now, or at the last time there is, in the change that makes it true;
 * returns its id.
 */
export function addJob(tx: Tx, after: number, task: JobTask): number {
  const id = next(tx, 'job')
  tx.rows.insert('jobs', { id, due_at: boundedTime(tx.now + after), task })
  return id
}

/** How much work a world owes, also such as was given up. */
export const jobsOwed = ({ rows }: Look): number =>
  rows.count('jobs', 'due', 0) + rows.count('jobs', 'due', 1)

/** Work that went wrong and is owed still. */
export const jobsFailing = ({ rows }: Look): readonly JobRow[] => rows.find('jobs', 'failing', 'yes')
