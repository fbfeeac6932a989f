import {
  type GuestWorld,
  type ListedWorld,
  type OwnedPage,
  type OwnedQuery,
  type WorldDirectory,
  type WorldEntry,
  type WorldRegistry,
} from '../worlds.ts'
import { type Database, statement } from './database.ts'
import type { PostgresJournal } from './journal.ts'
import type { PostgresStore } from './store.ts'

const noteUsed = statement`
  insert into used(world, at) select * from unnest($1::text[], $2::float8[])
  on conflict (world) do update set at = excluded.at where used.at < excluded.at`
const forgetUsed = statement`delete from used where world = $1`
const lastUsed = statement`select at from used where world = $1`

const noteKeys = statement`
  insert into used_keys(world, username, at) select * from unnest($1::text[], $2::text[], $3::float8[])
  on conflict (world, username) do update set at = excluded.at where used_keys.at < excluded.at`
const readKeys = statement`select username, at from used_keys where world = $1 and username = any($2::text[])`
const forgetKeys = statement`delete from used_keys where world = $1 and username <> all($2::text[])`

type ListedRow = Omit<ListedWorld, 'used_at' | 'created_at'> & {
  readonly used_at: number | null
  readonly created_at: number | null
}

const listed = statement`
  select * from (
    select w.name, floor(coalesce(u.at, extract(epoch from c.created_at) * 1000, 0))::float8 as at, u.at as used_at,
      floor(extract(epoch from c.created_at) * 1000)::float8 as created_at, w.base_bytes + w.log_bytes as bytes
      from worlds w join cards c on c.world = w.name left join used u on u.world = w.name
     where left(w.name, length($1::text)) = $1
  ) e
  where $3::float8 is null or at < $3 or (at = $3 and name collate "C" > $4::text)
  order by at desc, name collate "C" limit $2::int`
const countListed = statement`select count(*) as total from worlds where left(name, length($1::text)) = $1`

interface RegistryOptions {
  readonly database: Database
  readonly store: PostgresStore
  /** Notifies the other processes. */
  readonly announceDropped: (name: string) => Promise<void>
  /** Frees the memory of a world; false while it is in use. */
  readonly forget: (name: string) => boolean
}

export function postgresRegistry({
  database,
  store,
  announceDropped,
  forget,
}: RegistryOptions): WorldRegistry & { flush(): Promise<void> } {
  /** Last calls since the last flush. */
  const used = new Map<string, number>()
  /** Last uses of API keys since the last flush, by world. */
  const usedKeys = new Map<string, Map<string, number>>()
  store.onWorld((name, event) => {
    if (event === 'dropped') used.delete(name)
  })

  /** Writes the last uses, in the same order in every process to avoid deadlocks. */
  async function flush(): Promise<void> {
    const names = [...used.keys()].toSorted()
    const times = names.map((name) => used.get(name))
    const keys = [...usedKeys].flatMap(([world, uses]) =>
      [...uses].map(([username, at]) => ({ world, username, at, place: `${world}\0${username}` })),
    )
    used.clear()
    usedKeys.clear()
    keys.sort((one, other) => (one.place < other.place ? -1 : 1))
    const columns = (['world', 'username', 'at'] as const).map((name) => keys.map((each) => each[name]))
    await Promise.all([
      names.length > 0 && database.query(noteUsed, [names, times]),
      keys.length > 0 && database.query(noteKeys, columns),
    ])
  }

  async function keepKeys(name: string, usernames: readonly string[]): Promise<void> {
    await flush()
    await database.query(forgetKeys, [name, usernames])
  }

  return {
    names: () => store.worlds(),
    has: (name, since) => store.has(name, since),
    create: (...world) => store.create(...world),
    async drop(name) {
      await store.drop(name)
      await keepKeys(name, [])
      await database.query(forgetUsed, [name])
      await announceDropped(name)
    },
    forget,
    used(name, at) {
      if (at > (used.get(name) ?? -Infinity)) used.set(name, at)
    },
    keyUsed(name, username, at) {
      let uses = usedKeys.get(name)
      if (!uses) usedKeys.set(name, (uses = new Map()))
      uses.set(username, at)
    },
    keepKeys,
    async keysUsed(name, usernames) {
      await flush()
      const rows = await database.query<{ username: string; at: number }>(readKeys, [name, usernames])
      return new Map(rows.map(({ username, at }) => [username, at]))
    },
    async lastUsed(name) {
      await flush()
      const [row] = await database.query<{ at: number }>(lastUsed, [name])
      return row?.at
    },
    async list({ prefix, limit, after }) {
      await flush()
      const [rows, [counted]] = await Promise.all([
        database.query<ListedRow>(listed, [prefix, limit, after?.at ?? null, after?.name ?? null]),
        database.query<{ total: number }>(countListed, [prefix]),
      ])
      const worlds = rows.map(({ used_at, created_at, ...row }) => ({
        ...row,
        used_at: used_at ?? undefined,
        created_at: created_at ?? undefined,
      }))
      return { worlds, total: counted!.total }
    },
    onChanged: (listener) => store.onWorld(listener),
    flush,
  }
}

const count = statement`select count(*) as count from worlds`
const origins = statement`select world as name, parent is not null as made from cards order by world`
const owed = statement`
  select coalesce(sum(pending), 0)::bigint as pending_jobs, coalesce(sum(failing), 0)::bigint as failing_jobs from cards`
const firstDue = statement`select min(next_due) as next_due from cards where next_due is not null`
/** Called with one more than the page size, to know whether another page follows. */
const owned = statement`
  with own as (
    select world as name, number from cards
     where (world = $1 or parent = $1 or ($2 and parent is null))
       and ($5 = '' or position($5 in lower(coalesce(title, '') || chr(10) || world)) > 0)
  )
  select name, number, (select count(*) from own) as total
    from own where number < $3 order by number desc limit $4`
const ownedCount = statement`
  select count(*) as total from cards
   where (world = $1 or parent = $1 or ($2 and parent is null))
     and ($3 = '' or position($3 in lower(coalesce(title, '') || chr(10) || world)) > 0)`
/** A world that was never called counts from its last write. */
const unused = statement`
  select w.name from worlds w join cards c on c.world = w.name left join used u on u.world = w.name
   where coalesce(u.at, extract(epoch from w.touched) * 1000) <= $1
     and c.guest is not distinct from $3
     and (c.next_due is null or c.next_due > $2)
   order by w.name`
const guests = statement`
  select c.parent, c.guest, coalesce(u.at, extract(epoch from w.touched)::float8 * 1000) as used_at
    from cards c join worlds w on w.name = c.world left join used u on u.world = c.world where c.guest is not null`
const invited = statement`select world from invites where token = $1`
const entry = statement`
  select c.number, u.at as used_at from cards c left join used u on u.world = c.world where c.world = $1`

const LAST_NUMBER = Number.MAX_SAFE_INTEGER

interface OwnedRow {
  readonly name: string
  readonly number: number
}

/** The newest worlds of an owner first, one more than the limit if another page follows. */
interface OwnedRows {
  readonly rows: readonly OwnedRow[]
  readonly total: number
}

export interface PostgresDirectory extends WorldDirectory {
  ownedRows(query: OwnedQuery): Promise<OwnedRows>
}

/** Returns the page with the newest worlds of one or several databases. */
export function pageOfOwned(found: readonly OwnedRows[], limit: number): OwnedPage {
  const newest = found.flatMap(({ rows }) => rows).toSorted((one, other) => other.number - one.number)
  const page = newest.slice(0, limit).toReversed()
  return {
    names: page.map(({ name }) => name),
    total: found.reduce((sum, { total }) => sum + total, 0),
    next_before: newest.length > limit ? page[0]!.number : null,
  }
}

export const postgresDirectory = (
  database: Database,
  worlds: ReturnType<typeof postgresRegistry>,
  journal: PostgresJournal,
): PostgresDirectory => ({
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

  async owned(query) {
    return pageOfOwned([await this.ownedRows(query)], query.limit)
  },

  async ownedRows({ owner, isHome, before, limit, search }) {
    const values = [owner, isHome, Math.min(before, LAST_NUMBER), limit + 1, search]
    const rows = await database.query<OwnedRow & { readonly total: number }>(owned, values)
    return { rows, total: rows[0]?.total ?? (await countOwned(database, owner, isHome, search)) }
  },

  async unused(since, until, guest = null) {
    await worlds.flush()
    const rows = await database.query<{ name: string }>(unused, [since, until, guest])
    return rows.map(({ name }) => name)
  },

  guests: () => database.query<GuestWorld>(guests, []),

  async invited(token) {
    const [row] = await database.query<{ world: string }>(invited, [token])
    return row?.world
  },

  records: () => journal.records(),

  async entry(name): Promise<WorldEntry | undefined> {
    const [row] = await database.query<{ number: number; used_at: number | null }>(entry, [name])
    return row && { number: row.number, used_at: row.used_at ?? undefined }
  },
})

async function countOwned(database: Database, ...values: unknown[]): Promise<number> {
  const [row] = await database.query<{ total: number }>(ownedCount, values)
  return row!.total
}
