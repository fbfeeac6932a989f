import { sliceOf } from '../lib/clock/time-slice.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import type { Store, RowChange } from '../storage/store/store.ts'
import type { WorldWork } from './world-work.ts'

/**
 * Queues every job of a world's rows, those that were given up among them.
 * @returns when all are in the queue; what is due first is not known before
 */
export async function queueAll(store: Store, name: string, work: WorldWork): Promise<void> {
  const jobs = await store.read(name, (rows) => {
    work.generation = rows.generation
    return rows.below('jobs', { before: Infinity, limit: Infinity })
  })
  const slice = sliceOf(name)
  for (const { id, due_at } of jobs) {
    if (slice.over) await slice.next()
    work.queue.add({ at: due_at, id })
  }
}

/** Queues the jobs that a change owes to a world; answers whether there were any. */
export function queueWritten(written: readonly RowChange[], workOf: () => WorldWork): boolean {
  let added = false
  for (const { table, row } of written) {
    if (table !== 'jobs' || !row) continue
    const { id, due_at, failed } = row as JobRow
    if (failed?.given_up) continue
    const work = workOf()
    // On standby nothing is queued: what is owed is read from the rows when this process gets the world back.
    if (work.standbyUntil === undefined) work.queue.add({ at: due_at, id })
    added = true
  }
  return added
}
