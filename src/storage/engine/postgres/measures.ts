import { LEASE } from '../job-queue.ts'
import type { Measures, Vitals } from '../shared-state.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'
const vitals = statement(
  'vitals',
  `with n as (select extract(epoch from clock_timestamp())::float8 * 1000 as now)
   select coalesce(greatest(n.now - (select min(until) from leases) + $1::float8, 0), 0)::float8 as lease_age
     from n`,
)

/** @param caughtUp how many changes of other processes were taken over */
export const postgresMeasures = (database: Database, caughtUp: () => number): Measures => ({
  measure: (meter) => void (database.meter = meter),
  async vitals() {
    const [row] = await database.query<Vitals & object>(vitals, [LEASE])
    return row!
  },
  get unavailable() {
    return database.unavailable !== undefined
  },
  get connections() {
    return database.connections
  },
  get caughtUp() {
    return caughtUp()
  },
})
