import type { GuestWorld, OwnedPage, OwnedQuery, WorldDirectory, WorldEntry } from '../worlds.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'
const count = statement('count_worlds', 'select count(*) as count from worlds')
const origins = statement('origins', 'select name, parent is not null as made from worlds order by name')
const owed = statement(
  'owed',
  'select coalesce(sum(pending), 0)::bigint as pending_jobs, coalesce(sum(failing), 0)::bigint as failing_jobs from worlds',
)
const firstDue = statement(
  'first_due',
  'select min(next_due) as next_due from worlds where next_due is not null',
)
/** One more than are asked for tells whether there are more. */
const owned = statement(
  'owned_worlds',
  `with own as (
     select name, number from worlds
      where (name = $1 or parent = $1 or ($2 and parent is null))
        and ($5 = '' or position($5 in lower(coalesce(title, '') || chr(10) || name)) > 0)
   )
   select name, number, (select count(*) from own) as total
     from own where number < $3 order by number desc limit $4`,
)
const ownedCount = statement(
  'count_owned_worlds',
  `select count(*) as total from worlds
    where (name = $1 or parent = $1 or ($2 and parent is null))
      and ($3 = '' or position($3 in lower(coalesce(title, '') || chr(10) || name)) > 0)`,
)
/** Of one that was never called it counts when it was last written to. */
const unused = statement(
  'unused_worlds',
  `select w.name from worlds w left join used u on u.world = w.name
    where coalesce(u.at, extract(epoch from w.touched) * 1000) <= $1
      and w.guest is not distinct from $3
      and (w.next_due is null or w.next_due > $2)
    order by w.name`,
)
const guests = statement(
  'guest_worlds',
  `select w.parent, w.guest, coalesce(u.at, extract(epoch from w.touched)::float8 * 1000) as used_at
     from worlds w left join used u on u.world = w.name where w.guest is not null`,
)
const invited = statement('invited', 'select world from invites where token = $1')
const entry = statement(
  'world_entry',
  'select w.number, u.at as used_at from worlds w left join used u on u.world = w.name where w.name = $1',
)

/** Worlds have numbers below this one. */
const LAST_NUMBER = Number.MAX_SAFE_INTEGER

export interface DirectoryOptions {
  readonly database: Database
  /** Writes down which worlds were called. */
  readonly flush: () => Promise<void>
  readonly records: WorldDirectory['records']
}

export const postgresDirectory = ({ database, flush, records }: DirectoryOptions): WorldDirectory => ({
  async count() {
    const [row] = await database.query<{ count: number }>(count, [])
    return row!.count
  },

  origins: () => database.query<{ name: string; made: boolean }>(origins, []),

  async owed() {
    const [row] = await database.query<{ pending_jobs: number; failing_jobs: number }>(owed, [])
    return row!
  },

  async lag(now) {
    const [row] = await database.query<{ next_due: number | null }>(firstDue, [])
    return Math.max(now - (row?.next_due ?? now), 0)
  },

  async owned({ owner, isHome, before, limit, search }: OwnedQuery): Promise<OwnedPage> {
    const values = [owner, isHome, Math.min(before, LAST_NUMBER), limit + 1, search]
    const rows = await database.query<{ name: string; number: number; total: number }>(owned, values)
    const page = rows.slice(0, limit).toReversed()
    const total = rows[0]?.total ?? (await countOwned(database, owner, isHome, search))
    const next_before = rows.length > limit ? page[0]!.number : null
    return { names: page.map(({ name }) => name), total, next_before }
  },

  async unused(since, until, guest = null) {
    await flush()
    const rows = await database.query<{ name: string }>(unused, [since, until, guest])
    return rows.map(({ name }) => name)
  },

  guests: () => database.query<GuestWorld>(guests, []),

  async invited(token) {
    const [row] = await database.query<{ world: string }>(invited, [token])
    return row?.world
  },

  records,

  async entry(name): Promise<WorldEntry | undefined> {
    const [row] = await database.query<{ number: number; used_at: number | null }>(entry, [name])
    return row && { number: row.number, used_at: row.used_at ?? undefined }
  },
})

async function countOwned(database: Database, ...values: unknown[]): Promise<number> {
  const [row] = await database.query<{ total: number }>(ownedCount, values)
  return row!.total
}
