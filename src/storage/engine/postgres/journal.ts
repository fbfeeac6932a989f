import type { JournalEntry, JournalLimits, JournalRecord } from '../journal.ts'
import { later } from '../../../lib/clock/clock.ts'
import { Listeners, type OnError, surfaceError } from '../../../lib/listeners.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { type Database, type Statement, statement } from './database.ts'
import {
  createJournalWriter,
  type JournalWriter,
  type Sums,
  type Unwritten,
  type WrittenRecord,
} from './journal-writer.ts'
import type { PostgresStore } from './store.ts'

interface EntryRow {
  readonly n: number
  readonly entry: string
}

const readSums = statement`select made, forgotten, bytes from journals where world = $1 and life = $2`

/** Deletes the oldest requests beyond `$3`, or beyond `$4` bytes; never the last one. */
const forgetRequests = statement`
  with j as (
    select least(made, $5) as made, forgotten from journals where world = $1 and life = $2 for update
  ), summed as (
    select b.n, sum(b.bytes) over (order by b.n desc) as total
      from journal b, j where b.world = $1 and b.life = $2 and b.n > j.made - $3
  ), upto as (
    select greatest(j.forgotten, j.made - $3,
             coalesce((select max(n) from summed where total > $4::bigint and n < j.made), 0)) as n from j
  ), gone as (
    delete from journal b using upto where b.world = $1 and b.life = $2 and b.n <= upto.n returning b.bytes
  )
  update journals
     set forgotten = upto.n, bytes = journals.bytes - (select coalesce(sum(bytes), 0) from gone)
    from upto where world = $1 and life = $2
  returning made, forgotten, journals.bytes`

const clearRequests = statement`
  with gone as (
    delete from journal where world = $1 and life = $2 and n <= $3 returning bytes
  )
  update journals
     set forgotten = greatest(forgotten, $3), bytes = bytes - (select coalesce(sum(bytes), 0) from gone)
   where world = $1 and life = $2
  returning made, forgotten, bytes`

const entriesOf = statement`
  select n, entry from journal where world = $1 and life = $2 and n = any($3::bigint[])`

const whichOf = statement`select n from journal where world = $1 and life = $2 and n = any($3::bigint[])`

const newestRequests = statement`
  select n, entry from journal where world = $1 and life = $2 order by n desc limit $3`

const answeredLately = statement`
  select n, entry from journal
   where world = $1 and life = $2 and n > (select made - 1000 from journals where world = $1 and life = $2)
     and responded_at > clock_timestamp() - interval '3 seconds' order by responded_at, n`

/** The request logs of all worlds that are not empty. */
const recordsOfWorlds = statement`
  select j.world, j.life from journals j join worlds w on w.name = j.world and w.life = j.life
   where j.made > j.forgotten order by j.world`

export const forgetLives = statement`
  with gone as (
    delete from journals j where j.at < statement_timestamp() - interval '10 minutes'
       and not exists (select 1 from worlds w where w.name = j.world and w.life = j.life)
    returning world, life
  )
  delete from journal b using gone where b.world = gone.world and b.life = gone.life`

export type PostgresJournal = ReturnType<typeof postgresJournal>

/** The request logs of worlds. Each life of a world has its own. */
export function postgresJournal(database: Database, store: PostgresStore, report: OnError) {
  const writer = createJournalWriter(database)
  const open = new Map<string, PostgresRecord>()

  /** Returns the ids of worlds that this process does not answer for any more. */
  function leave(worlds: readonly string[]): void {
    const records = worlds.flatMap((world) => open.get(world) ?? [])
    writer.returnIds(records).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) report(error, { of: 'journal' })
    })
  }

  async function flush(): Promise<void> {
    for (const record of open.values()) await record.flush()
  }

  return {
    open(world: string, limits: JournalLimits): JournalRecord {
      const life = store.replicas.get(world)?.life ?? ''
      let record = open.get(world)
      if (record?.life !== life) {
        const onError: OnError = (error, about) => report(error, { world, ...about })
        record = new PostgresRecord(database, writer, { world, life }, limits, onError)
        const { ownership } = store
        record.isOwn = () => ownership.isCurrent(world)
        open.set(world, record)
      }
      return record
    },
    drop(world: string): void {
      leave([world])
      open.delete(world)
    },
    leave,
    async close() {
      await flush()
      await writer.returnIds(open.values())
    },
    /** Returns whether a world has unwritten requests or listeners. */
    isInUse: (world: string) => open.get(world)?.isInUse ?? false,
    /** Notifies listeners of responses in other processes. */
    async hear() {
      for (const record of open.values()) await record.hear()
    },
    /** Returns the request logs of all worlds that are not empty, for reading. */
    async records() {
      await flush()
      const rows = await database.query<{ world: string; life: string }>(recordsOfWorlds, [])
      const limits = { requests: Number.MAX_SAFE_INTEGER, bytes: Infinity }
      return rows.map(({ world, life }) => ({
        world,
        record: new PostgresRecord(database, writer, { world, life }, limits, report),
      }))
    },
    flush,
  }
}

/** A request that takes longer than this is logged before its response, and again after it, milliseconds. */
const UNANSWERED = 500
/** How long requests of a world that this process answers for wait for each other, milliseconds. */
const GATHERED = 100
/** A process that answers for a world takes twice as many ids as before each time, up to this many. */
const MOST_IDS = 100

class PostgresRecord implements JournalRecord, WrittenRecord {
  readonly world: string
  readonly life: string
  readonly #database: Database
  readonly #writer: JournalWriter
  readonly #limits: JournalLimits
  readonly #onError: OnError
  readonly #listeners = new Listeners<[entry: JournalEntry]>(surfaceListener)
  #unwritten = new Map<number, Unwritten>()
  #planned = false
  #gathering = false
  /** Whether this process answers for the world, so that no other one uses ids. */
  isOwn = () => false
  wantedIds = 1
  #ids: [next: number, last: number] | undefined
  #taking: Promise<unknown> | undefined
  /** As of the last query of this process. */
  #sums: Sums = { made: 0, forgotten: 0, bytes: 0 }
  /** The numbers of responses that listeners know. */
  #told = new Set<number>()

  constructor(
    database: Database,
    writer: JournalWriter,
    { world, life }: { readonly world: string; readonly life: string },
    limits: JournalLimits,
    onError: OnError,
  ) {
    this.#database = database
    this.#writer = writer
    this.world = world
    this.life = life
    this.#limits = limits
    this.#onError = onError
  }

  get isInUse(): boolean {
    return this.#unwritten.size + this.#listeners.size > 0
  }

  get size(): number {
    return Math.min(this.#made - this.#sums.forgotten, this.#limits.requests)
  }

  /** Without the ids that are left here. */
  get #made(): number {
    return this.#ids?.[1] === this.#sums.made ? this.#ids[0] - 1 : this.#sums.made
  }

  get bytes(): number {
    return this.#sums.bytes
  }

  nextId(taken?: string): string | Promise<string> {
    const [life, id] = taken?.split(' ') ?? []
    return id !== undefined && life === this.life ? id : this.#newId()
  }

  #newId(): string | Promise<string> {
    const isOwn = this.isOwn()
    if (this.#ids && isOwn) {
      const id = `req_${this.#ids[0]++}`
      if (this.#ids[0] > this.#ids[1]) this.#ids = undefined
      return id
    }
    // The ids that are being taken may be enough.
    if (this.#taking) return this.#taking.then(() => this.#newId())
    this.wantedIds = isOwn ? Math.min(this.wantedIds * 2, MOST_IDS) : 1
    const assigned = this.#writer.nextId(this)
    if (!isOwn) return assigned
    const end = () => (this.#taking = undefined)
    this.#taking = assigned.then(end, end)
    return assigned
  }

  keepIds(first: number, last: number): void {
    this.#ids = first <= last ? [first, last] : undefined
  }

  takeIds() {
    const ids = this.#ids
    this.#ids = undefined
    return ids
  }

  add(entry: JournalEntry): void {
    this.#unwritten.set(numberOf(entry.id), { entry, bytes: 0 })
    if (this.#planned) return
    this.#planned = true
    later(UNANSWERED, () => {
      this.#planned = false
      this.#writeSoon()
    })
  }

  answered(entry: JournalEntry, bytes: number): void {
    this.#unwritten.set(numberOf(entry.id), { entry, bytes })
    if (this.#listeners.size > 0) this.#told.add(numberOf(entry.id))
    this.#listeners.tell(entry)
    if (this.isOwn()) this.#gather()
    else this.#writeSoon()
  }

  /** Written as a request without a response before the other process writes it, and not afterwards. */
  async handOver(entry: JournalEntry): Promise<string> {
    await this.#writer.write(this).catch(() => {})
    this.#unwritten.delete(numberOf(entry.id))
    return `${this.life} ${entry.id}`
  }

  /** Writes requests after others that end soon: every reader of the log asks this process. */
  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    later(GATHERED, () => {
      this.#gathering = false
      this.#writeSoon()
    })
  }

  async get(id: string): Promise<JournalEntry | undefined> {
    const [row] = await this.#ask<EntryRow>(entriesOf, [[numberOf(id)]])
    return row && entryOf(row)
  }

  async remembered(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#ask<{ n: number }>(whichOf, [ids.map(numberOf)])
    return new Set(rows.map(({ n }) => `req_${n}`))
  }

  async all(): Promise<readonly JournalEntry[]> {
    return (await this.newest(Infinity)).toReversed()
  }

  async newest(most: number): Promise<readonly JournalEntry[]> {
    const rows = await this.#ask<EntryRow>(newestRequests, [Math.min(most, this.#limits.requests)])
    return rows.map(entryOf)
  }

  async clear(): Promise<number> {
    await this.flush()
    const { forgotten } = await this.look()
    const made = this.#made
    await this.#sum(clearRequests, [made])
    return Math.min(made - forgotten, this.#limits.requests)
  }

  onAnswered(listener: (entry: JournalEntry) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Notifies listeners of responses in other processes, once each. */
  async hear(): Promise<void> {
    if (this.#unwritten.size > 0) this.#writeSoon()
    if (this.#listeners.size === 0) return this.#told.clear()
    const rows = await this.#database.query<EntryRow>(answeredLately, [this.world, this.life])
    for (const row of rows) {
      if (this.#told.has(row.n)) continue
      this.#told.add(row.n)
      this.#listeners.tell(entryOf(row))
    }
    const lately = new Set(rows.map(({ n }) => n))
    for (const n of this.#told)
      if (!lately.has(n) && n < this.#sums.made - this.#limits.requests) this.#told.delete(n)
  }

  /** Writes the requests until now; those of the meantime are not waited for. */
  flush(): Promise<void> {
    return this.#writer.write(this)
  }

  noteSums(sums: Sums): void {
    this.#sums = sums
  }

  takeUnwritten(): readonly (readonly [n: number, Unwritten])[] {
    const unwritten = [...this.#unwritten]
    this.#unwritten = new Map()
    return unwritten
  }

  /** Keeps as many as the limit allows. */
  putBack(unwritten: readonly (readonly [n: number, Unwritten])[]): void {
    const room = this.#limits.requests - this.#unwritten.size
    this.#unwritten = new Map([...(room > 0 ? unwritten.slice(-room) : []), ...this.#unwritten])
  }

  async forgetOldest(): Promise<void> {
    const { forgotten, bytes } = this.#sums
    const { requests, bytes: most } = this.#limits
    if (this.#made - forgotten > requests * SLACK || bytes > most)
      await this.#sum(forgetRequests, [requests, finite(most), this.#made])
  }

  async #ask<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    await this.flush()
    const [rows] = await Promise.all([
      this.#database.query<Row>(statement, [this.world, this.life, ...values]),
      this.look(),
    ])
    return rows
  }

  look(): Promise<Sums> {
    return this.#sum(readSums, [])
  }

  async #sum(statement: Statement, values: readonly unknown[]): Promise<Sums> {
    const [sums] = await this.#database.query<Sums>(statement, [this.world, this.life, ...values])
    if (sums) this.#sums = sums
    return this.#sums
  }

  /** What cannot be written now is written with the next request. */
  #writeSoon(): void {
    this.#writer.write(this).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) this.#onError(error, { of: 'journal' })
    })
  }
}

/** The oldest are deleted several at a time; readers never see more than the limit. */
const SLACK = 1.1

const finite = (bytes: number) => Math.min(bytes, Number.MAX_SAFE_INTEGER)
const entryOf = ({ entry }: EntryRow) => JSON.parse(entry) as JournalEntry
const surfaceListener = (error: unknown) => surfaceError(error, { of: 'response' })

/** Returns the number in an id, or 0 if it is not an id. */
const numberOf = (id: string) => Number(/^req_([1-9]\d{0,14})$/.exec(id)?.[1] ?? 0)
