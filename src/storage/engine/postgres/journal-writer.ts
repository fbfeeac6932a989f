import { hideCredentials, isSecretName } from '../../../lib/log/redact.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { JournalEntry } from '../journal.ts'
import type { Database } from './database.ts'
import { statement } from './database.ts'

/** How many ids were given, how many of them are forgotten, and what those on record take. */
export interface Sums {
  readonly made: number
  readonly forgotten: number
  readonly bytes: number
}

export interface SumsOfWorld extends Sums {
  readonly world: string
  readonly life: string
}

/** What was answered is told by changes, which wait for the disk; a record of it that a crash loses is missed by nobody. */
const SOON = `(select set_config('synchronous_commit', 'off', true)) as soon`

/** Gives so many ids in each life, `$3`; each is there once, and they are in order. */
const nextIds = statement(
  'next_requests',
  `insert into journals(world, life, made)
   select a.world, a.life, a.wanted from unnest($1::text[], $2::text[], $3::bigint[]) as a(world, life, wanted), ${SOON}
   on conflict (world, life) do update set made = journals.made + excluded.made
   returning world, life, made, forgotten, bytes`,
)

/** Puts requests on record that are not forgotten. */
const putRequests = statement(
  'put_requests',
  `with e as (
     select a.* from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean[])
                  as a(world, life, n, entry, bytes, answered), ${SOON}
   ), j as (
     select world, life, forgotten from journals where (world, life) in (select world, life from e)
      order by world, life for update
   ), kept as (
     select e.* from e join j on j.world = e.world and j.life = e.life where e.n > j.forgotten
   ), known as (
     select k.world, k.life, sum(k.bytes) - coalesce(sum(b.bytes), 0) as added
       from kept k left join journal b on b.world = k.world and b.life = k.life and b.n = k.n
      group by k.world, k.life
   ), written as (
     insert into journal(world, life, n, entry, bytes, answered_at)
     select world, life, n, entry, bytes, case when answered then clock_timestamp() end from kept
     on conflict (world, life, n) do update
       set entry = excluded.entry, bytes = excluded.bytes, answered_at = excluded.answered_at
   )
   update journals
      set bytes = journals.bytes + known.added
     from known where journals.world = known.world and journals.life = known.life
   returning journals.world, journals.life, made, forgotten, bytes`,
)

/** The record of one life of a world, as it is written. */
export interface WrittenRecord {
  readonly world: string
  readonly life: string
  /** Takes note of how the record is now. */
  noteSums(sums: Sums): void
  /** Takes out what is to be written, by number. */
  takeUnwritten(): readonly (readonly [n: number, Unwritten])[]
  /** What could not be written without a database: it is to be written still. */
  putBack(unwritten: readonly (readonly [n: number, Unwritten])[]): void
  /** Forgets the oldest where there are too many. */
  forgetOldest(): Promise<void>
}

export interface Unwritten {
  readonly entry: JournalEntry
  readonly bytes: number
}

interface Wanting {
  readonly record: WrittenRecord
  readonly given: ((id: string) => void)[]
  readonly failed: ((error: unknown) => void)[]
}

/** Gives ids and puts requests on record, in one statement for all worlds that want some while another is under way. */
export class JournalWriter {
  readonly #database: Database
  /** Who waits for ids, by world and life. */
  #wanting = new Map<string, Wanting>()
  #giving = false
  #unwritten = new Set<WrittenRecord>()
  #writing: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  nextId(record: WrittenRecord): Promise<string> {
    const key = keyOf(record)
    return new Promise((resolve, reject) => {
      const wanting = this.#wanting.get(key)
      if (wanting) {
        wanting.given.push(resolve)
        wanting.failed.push(reject)
      } else this.#wanting.set(key, { record, given: [resolve], failed: [reject] })
      if (!this.#giving) void this.#give()
    })
  }

  /** Writes what a record has to be written, and all that others have. */
  async write(record: WrittenRecord): Promise<void> {
    this.#unwritten.add(record)
    await (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)))
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#writing
  }

  async #give(): Promise<void> {
    this.#giving = true
    // Whoever asks in this turn is served with the first.
    await undefined
    while (this.#wanting.size > 0) {
      // Rows are locked in one order, whoever asks.
      const wanting = new Map([...this.#wanting].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      this.#wanting = new Map()
      const all = [...wanting.values()]
      try {
        const rows = await this.#database.query<SumsOfWorld>(nextIds, [
          all.map(({ record }) => record.world),
          all.map(({ record }) => record.life),
          all.map(({ given }) => given.length),
        ])
        for (const row of rows) {
          const { record, given } = wanting.get(keyOf(row))!
          record.noteSums(row)
          const first = row.made - given.length + 1
          for (const [n, resolve] of given.entries()) resolve(`req_${first + n}`)
        }
      } catch (error) {
        for (const { failed } of all) for (const reject of failed) reject(error)
      }
    }
    this.#giving = false
  }

  async #writeAll(): Promise<void> {
    // All that ends in this turn is written with the first.
    await undefined
    while (this.#unwritten.size > 0) {
      const taken = [...this.#unwritten].map((record) => ({ record, unwritten: record.takeUnwritten() }))
      const records = new Map(taken.map(({ record }) => [keyOf(record), record]))
      this.#unwritten = new Set()
      const entries = taken.flatMap(({ record, unwritten }) =>
        unwritten.map(([n, { entry, bytes }]) => ({ record, n, entry, bytes })),
      )
      if (entries.length === 0) continue
      try {
        const rows = await this.#database.query<SumsOfWorld>(putRequests, [
          entries.map(({ record }) => record.world),
          entries.map(({ record }) => record.life),
          entries.map(({ n }) => n),
          entries.map(({ entry }) => JSON.stringify(withoutCredentials(entry))),
          entries.map(({ bytes }) => bytes),
          entries.map(({ entry }) => entry.answered),
        ])
        for (const row of rows) records.get(keyOf(row))!.noteSums(row)
        for (const record of records.values()) await record.forgetOldest()
      } catch (error) {
        if (error instanceof StoreUnavailable)
          for (const { record, unwritten } of taken) record.putBack(unwritten)
        throw error
      }
    }
  }
}

/** The record outlives the request by far, and a dump of the database has all of it. */
const withoutCredentials = (entry: JournalEntry): JournalEntry => ({
  ...entry,
  headers: entry.headers.map((text, n) =>
    n % 2 === 1 && isSecretName(entry.headers[n - 1]!) ? hideCredentials(text) : text,
  ),
})

const keyOf = ({ world, life }: { readonly world: string; readonly life: string }) => `${life} ${world}`
