import type { JobTask } from '../store/rows.ts'
import type { Tx } from './context.ts'
import { next } from './counters.ts'

/** Owes `task` to the world `after` milliseconds from now, in the change that makes it true; returns its id. */
export async function addJob(tx: Tx, after: number, task: JobTask): Promise<number> {
  const id = await next(tx, 'job')
  await tx.rows.insert('jobs', { id, due_at: tx.now + after, task })
  return id
}
