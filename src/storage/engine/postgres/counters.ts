import { type Database, type Statement, statement } from './database.ts'
import { type Counter, type CounterLimit, type Counters, MINUTE, MOST_NAMES } from '../shared-state.ts'

/** The time that is given, or the database's; milliseconds since the epoch. */
const NOW = `with n as (select coalesce($1::float8, extract(epoch from clock_timestamp()) * 1000) as now),
 g as (
   select n.now, (floor(n.now / per) + 1) * per as ends, name, want, most
     from n, unnest($2::text[], $3::bigint[], $4::bigint[], $5::float8[]) as a(name, want, most, per)
 )`

export interface TakenRow {
  readonly name: string
  readonly granted: number
  readonly remaining: number
  readonly ends: number
  /** Milliseconds until then. */
  readonly left: number
}

/** Grants what is wanted of each name, as far as its window has it. In the order of names, so that no two wait for each other. */
export const takeCounts = statement(
  'take',
  `${NOW}, taken as (
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
 select taken.*, taken.ends - n.now as left from taken, n`,
)

/** Counts one more, whatever there were. */
export const addToCount = statement(
  'add_to_count',
  `${NOW}, taken as (
   insert into counts as c (name, ends, remaining, granted)
   select name, ends, most - want, want from g order by name
   on conflict (name) do update set
     ends = excluded.ends,
     granted = excluded.granted,
     remaining = case when c.ends = excluded.ends then c.remaining - excluded.granted else excluded.remaining end
   returning name, granted, remaining, ends
 )
 select taken.*, taken.ends - n.now as left from taken, n`,
)

export const lookAtCount = statement(
  'look_at_count',
  `${NOW}
 select g.name, 0::bigint as granted, coalesce(c.remaining, g.most) as remaining, g.ends, g.ends - g.now as left
   from g left join counts c on c.name = g.name and c.ends = g.ends`,
)

/** Gives back what was granted and not used, where its window is not over. */
export const giveBackCounts = statement(
  'give_back',
  `with g as (select * from unnest($1::text[], $2::float8[], $3::bigint[]) as a(name, ends, unused)),
 locked as (select name from counts where name in (select name from g) order by name for update)
 update counts c set remaining = c.remaining + g.unused
   from g join locked on locked.name = g.name
  where c.name = g.name and c.ends = g.ends`,
)

/** Windows that are over. */
export const forgetCounts = statement(
  'forget_counts',
  'delete from counts where ends < coalesce($1::float8, extract(epoch from clock_timestamp()) * 1000)',
)

export interface CountersOptions {
  readonly database: Database
  /** Windows go by the database's clock, since those of machines differ; by the time that is given where there is only one. */
  readonly time: 'database' | 'given'
}

/** A process takes this part of what is left at once, at most. */
const PART = 8
/** What was not used between two looks of this many milliseconds is given back. */
const TENDED_EVERY = 1_000
/** Whoever was refused asks again after this many milliseconds: others may have given some back. */
const ASKED_AGAIN = 250

/** What this process has of a name's window. */
interface Share {
  /** On this process's wall, and on the clock that all share. */
  readonly until: number
  readonly ends: number
  /** Of which it may take at once, without asking. */
  left: number
  /** How many there are left for all, as it was last told. */
  remaining: number
  /** How many it was granted last. */
  readonly size: number
  readonly told_at: number
  used: boolean
}

interface Asked {
  readonly name: string
  readonly limit: Required<CounterLimit>
  readonly now: number
  readonly waiting: { resolve(wait: number): void; reject(error: unknown): void }[]
}

/** Counts of all processes on a database. */
export class PostgresCounters implements Counters {
  readonly #options: CountersOptions
  readonly #shares = new Map<string, Map<string, Share>>()
  #asked = new Map<string, Asked>()
  #asking = false
  #untended = 0

  constructor(options: CountersOptions) {
    this.#options = options
  }

  open(of: string, { most, per = MINUTE, names = MOST_NAMES }: CounterLimit): Counter {
    const limit = { most, per, names }
    const shares = this.#shares.get(of) ?? new Map<string, Share>()
    this.#shares.set(of, shares)
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
        return this.#ask(of, { name, limit, now, waiting: [] })
      },
      add: async (name, now) => {
        const [row] = await this.#query(addToCount, now, [{ name: `${of} ${name}`, want: 1, limit }])
        this.#told(shares, name, limit, now, row!, 0)
        return most - row!.remaining
      },
      count(name, now) {
        const share = current(name, now)
        return share ? Math.min(most, most - share.remaining) - share.left : 0
      },
      look: async (name, now) => {
        const [row] = await this.#query(lookAtCount, now, [{ name: `${of} ${name}`, want: 0, limit }])
        this.#told(shares, name, limit, now, row!, 0)
      },
    }
  }

  /** Gives back what was not used for a while; to be called every so many milliseconds. */
  async tend(since: number): Promise<void> {
    this.#untended += since
    if (this.#untended < TENDED_EVERY) return
    this.#untended = 0
    const unused: [name: string, share: Share][] = []
    for (const [of, shares] of this.#shares)
      for (const [name, share] of shares) {
        if (share.used) share.used = false
        else {
          if (share.left > 0) unused.push([`${of} ${name}`, share])
          shares.delete(name)
        }
      }
    await this.#giveBack(unused)
  }

  /** Gives back all that is left. */
  async close(): Promise<void> {
    const all = [...this.#shares].flatMap(([of, shares]) =>
      [...shares].map(([name, share]): [string, Share] => [`${of} ${name}`, share]),
    )
    for (const shares of this.#shares.values()) shares.clear()
    await this.#giveBack(all.filter(([, { left }]) => left > 0))
  }

  /** Forgets windows that are over. */
  async sweep(): Promise<void> {
    if (this.#options.time === 'database') await this.#options.database.query(forgetCounts, [null])
  }

  async #giveBack(unused: readonly [name: string, share: Share][]): Promise<void> {
    if (unused.length === 0) return
    await this.#options.database.query(giveBackCounts, [
      unused.map(([name]) => name),
      unused.map(([, { ends }]) => ends),
      unused.map(([, { left }]) => left),
    ])
  }

  #ask(of: string, asked: Asked): Promise<number> {
    const key = `${of} ${asked.name}`
    const known = this.#asked.get(key) ?? asked
    this.#asked.set(key, known)
    const answer = new Promise<number>((resolve, reject) => known.waiting.push({ resolve, reject }))
    if (!this.#asking) void this.#askAll()
    return answer
  }

  /** In one statement for all who ask while another is under way. */
  async #askAll(): Promise<void> {
    this.#asking = true
    // Whoever asks in this turn is asked for with the first.
    await undefined
    while (this.#asked.size > 0) {
      const asked = this.#asked
      this.#asked = new Map()
      try {
        await this.#askFor([...asked])
      } catch (error) {
        for (const { waiting } of asked.values()) for (const { reject } of waiting) reject(error)
      }
    }
    this.#asking = false
  }

  async #askFor(all: readonly [key: string, asked: Asked][]): Promise<void> {
    const now = all[0]![1].now
    const rows = await this.#query(
      takeCounts,
      now,
      all.map(([key, asked]) => ({ name: key, want: this.#wanted(key, asked), limit: asked.limit })),
    )
    const byName = new Map(rows.map((row) => [row.name, row]))
    for (const [key, { name, limit, waiting }] of all) {
      const row = byName.get(key)!
      const shares = this.#shares.get(key.slice(0, key.length - name.length - 1))!
      this.#told(shares, name, limit, now, row, Math.max(row.granted - waiting.length, 0))
      waiting.forEach(({ resolve }, n) => resolve(n < row.granted ? 0 : row.left))
    }
  }

  /** Whoever asks often takes more at once: twice as much as last time, but no large part of what is left. */
  #wanted(key: string, { name, waiting }: Asked): number {
    const share = this.#shares.get(key.slice(0, key.length - name.length - 1))!.get(name)
    const more = share ? Math.min(share.size * 2, Math.floor(share.remaining / PART)) : 1
    return Math.max(waiting.length, more)
  }

  #told(
    shares: Map<string, Share>,
    name: string,
    { names }: Required<CounterLimit>,
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

  #query(
    statement: Statement,
    now: number,
    asked: readonly {
      readonly name: string
      readonly want: number
      readonly limit: Required<CounterLimit>
    }[],
  ): Promise<TakenRow[]> {
    const { database, time } = this.#options
    return database.query<TakenRow>(statement, [
      time === 'given' ? now : null,
      asked.map(({ name }) => name),
      asked.map(({ want }) => want),
      asked.map(({ limit }) => limit.most),
      asked.map(({ limit }) => limit.per),
    ])
  }
}
