import { Batcher, type Batch } from './client.ts'
import { type Database, type Statement, statement } from './database.ts'
import { type CounterLimit, type Counters, MINUTE, MOST_NAMES } from '../shared-state.ts'

/** The given time, or the database's; milliseconds since the epoch. */
const NOW = `with n as (select coalesce($1::float8, extract(epoch from clock_timestamp()) * 1000) as now),
 g as (
   select n.now, (floor(n.now / per) + 1) * per as ends, name, want, most
     from n, unnest($2::text[], $3::bigint[], $4::bigint[], $5::float8[]) as a(name, want, most, per)
 )`

interface TakenRow {
  readonly name: string
  readonly granted: number
  readonly remaining: number
  readonly ends: number
  /** Milliseconds until the window ends. */
  readonly left: number
}

/** Grants as many as the window has left. Ordered by name to avoid deadlocks. */
const takeCounts = statement`
  ${NOW}, taken as (
  insert into counts as c (name, ends, remaining, granted)
  select name, ends, most - least(want, most), least(want, most) from g order by name
  on conflict (name) do update set
    ends = excluded.ends,
    granted = case when c.ends = excluded.ends
      then greatest(least(excluded.granted, c.remaining), 0) else excluded.granted end,
    remaining = case when c.ends = excluded.ends
      then least(c.remaining, greatest(c.remaining - excluded.granted, 0)) else excluded.remaining end
  returning name, granted, remaining, ends
  )
  select taken.*, taken.ends - n.now as left from taken, n`

/** Counts regardless of the limit. */
const addToCount = statement`
  ${NOW}, taken as (
  insert into counts as c (name, ends, remaining, granted)
  select name, ends, most - want, want from g order by name
  on conflict (name) do update set
    ends = excluded.ends,
    granted = excluded.granted,
    remaining = case when c.ends = excluded.ends then c.remaining - excluded.granted else excluded.remaining end
  returning name, granted, remaining, ends
  )
  select taken.*, taken.ends - n.now as left from taken, n`

const lookAtCount = statement`
  ${NOW}
  select g.name, 0::bigint as granted, coalesce(c.remaining, g.most) as remaining, g.ends, g.ends - g.now as left
  from g left join counts c on c.name = g.name and c.ends = g.ends`

/** Returns what was granted and not used, if the window has not ended. */
const giveBackCounts = statement`
  with g as (select * from unnest($1::text[], $2::float8[], $3::bigint[]) as a(name, ends, unused)),
  locked as (select name from counts where name in (select name from g) order by name for update)
  update counts c set remaining = c.remaining + g.unused
  from g join locked on locked.name = g.name
  where c.name = g.name and c.ends = g.ends`

const forgetCounts = statement`
  delete from counts where ends < coalesce($1::float8, extract(epoch from clock_timestamp()) * 1000)`

/** A process reserves at most this part of the rest. */
const PART = 8
/** Unused reservations are returned after this many milliseconds. */
const TENDED_EVERY = 1_000
/** After a refusal, the next request to the database follows after this many milliseconds: others may have returned some. */
const ASKED_AGAIN = 250

/** A process's reservation in a window. */
interface Share {
  /** The end in this process's time, and in the time that all share. */
  readonly until: number
  readonly ends: number
  /** How many are free without a request to the database. */
  left: number
  /** How many were left for all processes at `told_at`. */
  remaining: number
  /** The last grant. */
  readonly size: number
  readonly told_at: number
  used: boolean
}

type Limit = Required<Omit<CounterLimit, 'byWorld'>>

interface Asked {
  readonly of: string
  readonly name: string
  readonly limit: Limit
  readonly now: number
}

interface Wanted {
  readonly name: string
  readonly want: number
  readonly limit: Limit
}

/**
 * Counts of all processes on a database.
 * @param time - Whether windows follow the database's clock or, in tests, the given time.
 */
export function postgresCounters(
  database: Database,
  time: 'database' | 'given',
): Counters & {
  /** Returns unused reservations. @param since - Milliseconds since the last call. */
  tend(since: number): Promise<void>
  /** Deletes windows that have ended. */
  sweep(): Promise<void>
  /** Returns all reservations. */
  close(): Promise<void>
} {
  const subjects = new Map<string, Map<string, Share>>()
  const requests = new Batcher<Asked, number>(askFor)
  let untended = 0

  async function giveBack(unused: readonly [name: string, share: Share][]): Promise<void> {
    if (unused.length === 0) return
    await database.query(giveBackCounts, [
      unused.map(([name]) => name),
      unused.map(([, { ends }]) => ends),
      unused.map(([, { left }]) => left),
    ])
  }

  async function askFor(batch: Batch<Asked, number>): Promise<void> {
    const all = [...batch].map(([key, { request, callers }]) => ({ key, ...request, callers }))
    const { now } = all[0]!
    const wanted = all.map(({ key, of, name, limit, callers }) => {
      // Frequent callers reserve twice as much as last time, up to a part of the rest.
      const share = subjects.get(of)!.get(name)
      const more = share ? Math.min(share.size * 2, Math.floor(share.remaining / PART)) : 1
      return { name: key, want: Math.max(callers.length, more), limit }
    })
    const rows = await query(takeCounts, now, wanted)
    const byName = new Map(rows.map((row) => [row.name, row]))
    for (const { key, of, name, limit, callers } of all) {
      const row = byName.get(key)!
      told(subjects.get(of)!, name, limit, now, row, Math.max(row.granted - callers.length, 0))
      callers.forEach(({ resolve }, n) => resolve(n < row.granted ? 0 : row.left))
    }
  }

  function told(
    shares: Map<string, Share>,
    name: string,
    { names }: Limit,
    now: number,
    { ends, left, remaining, granted }: TakenRow,
    unused: number,
  ): void {
    const known = shares.get(name)
    if (!known && shares.size >= names) shares.delete(shares.keys().next().value!)
    const kept = known?.ends === ends ? known.left : 0
    shares.set(name, {
      until: now + left,
      ends,
      left: kept + unused,
      remaining,
      size: granted > 0 ? granted : (known?.size ?? 1),
      told_at: now,
      used: true,
    })
  }

  function query(statement: Statement, now: number, asked: readonly Wanted[]): Promise<TakenRow[]> {
    return database.query<TakenRow>(statement, [
      time === 'given' ? now : null,
      asked.map(({ name }) => name),
      asked.map(({ want }) => want),
      asked.map(({ limit }) => limit.most),
      asked.map(({ limit }) => limit.per),
    ])
  }

  return {
    open(of, { most, per = MINUTE, names = MOST_NAMES }) {
      const limit = { most, per, names }
      const shares = subjects.get(of) ?? new Map<string, Share>()
      subjects.set(of, shares)
      const current = (name: string, now: number) => {
        const share = shares.get(name)
        return share && now < share.until ? share : undefined
      }
      return {
        take: (name, now) => {
          const share = current(name, now)
          if (share && share.left > 0) {
            share.left -= 1
            share.used = true
            return 0
          }
          if (share && share.remaining <= 0 && now < share.told_at + ASKED_AGAIN) return share.until - now
          return requests.add(`${of} ${name}`, { of, name, limit, now })
        },
        add: async (name, now) => {
          const [row] = await query(addToCount, now, [{ name: `${of} ${name}`, want: 1, limit }])
          told(shares, name, limit, now, row!, 0)
          return most - row!.remaining
        },
        count(name, now) {
          const share = current(name, now)
          return share ? Math.min(most, most - share.remaining) - share.left : 0
        },
        look: async (name, now) => {
          const [row] = await query(lookAtCount, now, [{ name: `${of} ${name}`, want: 0, limit }])
          told(shares, name, limit, now, row!, 0)
        },
      }
    },
    async tend(since) {
      untended += since
      if (untended < TENDED_EVERY) return
      untended = 0
      const unused: [name: string, share: Share][] = []
      for (const [of, shares] of subjects)
        for (const [name, share] of shares) {
          if (share.used) share.used = false
          else {
            if (share.left > 0) unused.push([`${of} ${name}`, share])
            shares.delete(name)
          }
        }
      await giveBack(unused)
    },
    async close() {
      const all = [...subjects].flatMap(([of, shares]) =>
        [...shares].map(([name, share]): [string, Share] => [`${of} ${name}`, share]),
      )
      for (const shares of subjects.values()) shares.clear()
      await giveBack(all.filter(([, { left }]) => left > 0))
    },
    async sweep() {
      if (time === 'database') await database.query(forgetCounts, [null])
    },
  }
}
