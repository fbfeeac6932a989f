import type { Locks } from '../shared-state.ts'
import type { Database, Statement } from './database.ts'
const beginWork: Statement = {
  name: 'begin_work',
  text: `insert into calendar(name, due_at) values ($1, $2)
         on conflict (name) do update set due_at = excluded.due_at where calendar.due_at < excluded.due_at
         returning name`,
}

/** Among all processes on a database. */
export const postgresLocks = (database: Database): Locks => ({
  async runOnce(name, due_at, work) {
    const [begun] = await database.query(beginWork, [name, due_at])
    if (begun) await work()
    return begun !== undefined
  },
})
