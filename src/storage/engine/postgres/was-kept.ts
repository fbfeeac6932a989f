import { later } from '../../../lib/clock/clock.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { WorldBatch } from './batch.ts'
import type { Database } from './database.ts'
import { batchOf, lockWaiting } from './statements.ts'

/** How often it is asked, and how long is waited in between, milliseconds: a database that starts anew is back by then. */
const TRIES = 25
const PAUSE = 200

/**
 * Whether changes were kept whose commit was sent and not answered. The transaction they were in has the world locked
 * until it ends, so whoever gets the lock knows that it has ended.
 * @throws StoreUnavailable when the database cannot be asked
 */
export async function wasKept(
  database: Database,
  { name, replica, isNew, appended }: WorldBatch,
  batch: string,
): Promise<boolean> {
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const client = await database.session()
      try {
        const [, , found] = await Promise.all([
          client.query('begin'),
          client.query({ ...lockWaiting, values: [[name]] }),
          client.query({ ...batchOf, values: [name, replica.life, appended[0]!.version] }),
          client.query('commit'),
        ])
        database.giveBack(client, true)
        if (found.rows.length > 0 || !isNew) return found.rows[0]?.batch === batch
      } catch {
        database.giveBack(client, false)
      }
    } catch {
      // It is away still.
    }
    await new Promise<void>((resolve) => void later(PAUSE, resolve))
  }
  throw new StoreUnavailable(
    'The database was lost while this was written, so it is not known whether it was kept.',
  )
}
