import { hideCredentials, isSecretName } from '../../../lib/log/redact.ts'
import { StoreUnavailable } from '../../store/change.ts'
import type { JournalEntry } from '../journal.ts'
import { type Batch, Batcher } from './client.ts'
import { type Database, statement } from './database.ts'

/** The number of ids, the number of forgotten requests, and the bytes of the others. */
export interface Sums {
  readonly made: number
  readonly forgotten: number
  readonly bytes: number
}

interface SumsOfWorld extends Sums {
  readonly world: string
  readonly life: string
}

/** Does not wait for the disk: a crash may lose log entries of requests, but not their changes. */
const SOON = `(select set_config('synchronous_commit', 'off', true)) as soon`

/** Assigns `$3` consecutive ids in each life. */
const nextIds = statement`
  insert into journals(world, life, made)
  select a.world, a.life, a.wanted from unnest($1::text[], $2::text[], $3::bigint[]) as a(world, life, wanted), ${SOON}
  on conflict (world, life) do update set made = journals.made + excluded.made
  returning world, life, made, forgotten, bytes`

/** Returns the last ids of lives that nobody was assigned. */
const returnIds = statement`
  update journals j set made = a.used
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as a(world, life, made, used)
   where j.world = a.world and j.life = a.life and j.made = a.made`

/** Writes requests that are not forgotten. */
const putRequests = statement`
  with e as (
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
    insert into journal(world, life, n, entry, bytes, responded_at)
    select world, life, n, entry, bytes, case when answered then clock_timestamp() end from kept
    on conflict (world, life, n) do update
      set entry = excluded.entry, bytes = excluded.bytes, responded_at = excluded.responded_at
  )
  update journals
     set bytes = journals.bytes + known.added
    from known where journals.world = known.world and journals.life = known.life
  returning journals.world, journals.life, made, forgotten, bytes`

/** The request log of one life of a world. */
export interface WrittenRecord {
  readonly world: string
  readonly life: string
  noteSums(sums: Sums): void
  /** How many ids to take at once. */
  readonly wantedIds: number
  /** Keeps ids for the next requests. */
  keepIds(first: number, last: number): void
  /** Takes out the range of ids that are left. */
  takeIds(): readonly [first: number, last: number] | undefined
  /** Takes out the unwritten requests, by number. */
  takeUnwritten(): readonly (readonly [n: number, Unwritten])[]
  /** Returns requests that could not be written. */
  putBack(unwritten: readonly (readonly [n: number, Unwritten])[]): void
  /** Deletes the oldest requests beyond the limits. */
  forgetOldest(): Promise<void>
}

export interface Unwritten {
  readonly entry: JournalEntry
  readonly bytes: number
}

export type JournalWriter = ReturnType<typeof createJournalWriter>

/** Assigns ids and writes requests, each in one statement for all worlds. */
export function createJournalWriter(database: Database) {
  const assigning = new Batcher<WrittenRecord, string>(assign)
  const writing = new Batcher<WrittenRecord, void>(writeAll)
  let calls = 0

  async function assign(batch: Batch<WrittenRecord, string>): Promise<void> {
    // The same order in every process avoids deadlocks.
    const all = [...batch].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
    const wanted = new Map(
      all.map(({ request, callers }) => [keyOf(request), Math.max(request.wantedIds, callers.length)]),
    )
    const rows = await database.query<SumsOfWorld>(nextIds, [
      all.map(({ request }) => request.world),
      all.map(({ request }) => request.life),
      [...wanted.values()],
    ])
    for (const row of rows) {
      const { request, callers } = batch.get(keyOf(row))!
      const first = row.made - wanted.get(keyOf(row))! + 1
      request.noteSums(row)
      request.keepIds(first + callers.length, row.made)
      for (const [n, { resolve }] of callers.entries()) resolve(`req_${first + n}`)
    }
  }

  async function writeAll(batch: Batch<WrittenRecord, void>): Promise<void> {
    const records = new Set([...batch.values()].map(({ request }) => request))
    const taken = [...records].map((record) => ({ record, unwritten: record.takeUnwritten() }))
    const byKey = new Map(taken.map(({ record }) => [keyOf(record), record]))
    const entries = taken.flatMap(({ record, unwritten }) =>
      unwritten.map(([n, { entry, bytes }]) => ({ record, n, entry, bytes })),
    )
    try {
      const rows =
        entries.length === 0
          ? []
          : await database.query<SumsOfWorld>(putRequests, [
              entries.map(({ record }) => record.world),
              entries.map(({ record }) => record.life),
              entries.map(({ n }) => n),
              entries.map(({ entry }) => JSON.stringify(withoutCredentials(entry))),
              entries.map(({ bytes }) => bytes),
              entries.map(({ entry }) => entry.answered),
            ])
      for (const row of rows) byKey.get(keyOf(row))!.noteSums(row)
      if (entries.length > 0) for (const record of byKey.values()) await record.forgetOldest()
    } catch (error) {
      if (error instanceof StoreUnavailable)
        for (const { record, unwritten } of taken) record.putBack(unwritten)
      throw error
    }
    for (const { callers } of batch.values()) for (const { resolve } of callers) resolve()
  }

  return {
    nextId: (record: WrittenRecord): Promise<string> => assigning.add(keyOf(record), record),
    /** Writes the requests of a record, together with other records. */
    write(record: WrittenRecord): Promise<void> {
      calls += 1
      return writing.add(String(calls), record)
    },
    /** Returns ids of records that are not needed here any more. */
    async returnIds(records: Iterable<WrittenRecord>): Promise<void> {
      const left = [...records].flatMap((record) => {
        const ids = record.takeIds()
        return ids ? [{ record, first: ids[0], last: ids[1] }] : []
      })
      if (left.length === 0) return
      await database.query(returnIds, [
        left.map(({ record }) => record.world),
        left.map(({ record }) => record.life),
        left.map(({ last }) => last),
        left.map(({ first }) => first - 1),
      ])
    },
  }
}

/** Requests stay in the database, and in its dumps, for long. */
const withoutCredentials = (entry: JournalEntry): JournalEntry => ({
  ...entry,
  headers: entry.headers.map((text, n) =>
    n % 2 === 1 && isSecretName(entry.headers[n - 1]!) ? hideCredentials(text) : text,
  ),
})

const keyOf = ({ world, life }: { readonly world: string; readonly life: string }) => `${life} ${world}`
