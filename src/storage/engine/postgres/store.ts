import { WorldTables } from '../../store/world.ts'
import {
  WorldView,
  type Change,
  type Moment,
  type Synchronous,
  type RowChange,
  type Store,
  type StoredRows,
  StoreUnavailable,
  type View,
  type WorldEvent,
  type WorldRows,
} from '../../store/change.ts'
import { KeyedMutex } from '../../../lib/clock/clock.ts'
import type { OnError } from '../../../lib/listeners.ts'
import type { Creation } from '../worlds.ts'
import { EVENTS_KEPT } from '../memory/event-log.ts'
import type { Describe } from './batch.ts'
import { type Database, statement } from './database.ts'
import { compactIfNeeded, readWorld } from './parts.ts'
import { createIncarnations, type WorldIncarnations } from './world-incarnations.ts'
import {
  type Answer,
  createRefresher,
  type Entry,
  type Note,
  type Replica,
  Replicas,
  type CommitNotice,
  noticeOf,
} from './replicas.ts'
import { WorldOwnership } from './ownership.ts'
import type { Signals } from './signals.ts'
import { createWriter, type Writer } from './writer.ts'

const worldNames = statement`select name from worlds order by name`

/** The log entries of a world over all its lives from after `$2` up to `$3`, limited to the last `$4` events. */
const entriesBetween = statement`
  select k.version, k.writes, k.time from (
    select l.version, l.writes, l.time,
           sum(coalesce(l.events, 1)) over (order by l.version desc) - coalesce(l.events, 1) as later
      from log l join worlds w on w.name = l.world and (w.life = l.life or w.born = l.born)
     where l.world = $1 and l.version > $2 and l.version <= $3) k
   where k.later < $4 order by k.version`
const NOTE_TRIES = 3

/** The rows of worlds in PostgreSQL, with replicas in memory that are updated before each read. */
export class PostgresStore implements Store {
  readonly #database: Database
  readonly #onError: OnError
  /** Held while a world is changed. */
  readonly #changing = new KeyedMutex()
  /** Held while a replica is used; always acquired after `#changing`. */
  readonly #looking = new KeyedMutex()
  readonly replicas: Replicas
  readonly ownership: WorldOwnership
  readonly #refresher: ReturnType<typeof createRefresher>
  readonly #incarnations: WorldIncarnations
  readonly #writer: Writer
  #closed = false
  /** Returns what the log stores with a change. */
  describe: Describe = () => undefined

  constructor(database: Database, signals: Signals, onError: OnError) {
    this.#database = database
    this.#onError = onError
    this.replicas = new Replicas(onError)
    this.ownership = new WorldOwnership(database, signals, this.replicas, onError)
    this.ownership.inTurn = (name, work) => this.#changing.run(name, work)
    this.#refresher = createRefresher(database, this.replicas)
    this.#incarnations = createIncarnations(database, this.replicas)
    this.#writer = createWriter({
      database,
      replicas: this.replicas,
      ownership: this.ownership,
      changing: this.#changing,
      looking: this.#looking,
      describe: (world, written) => this.describe(world, written),
      onKept: (name) =>
        compactIfNeeded(database, name, this.replicas.get(name)).catch(
          (error: unknown) => this.#closed || onError(error, { of: 'compaction', world: name }),
        ),
    })
  }

  get unavailable(): StoreUnavailable | undefined {
    return this.#database.unavailable
  }

  async worlds(): Promise<readonly string[]> {
    this.#requireSound()
    const rows = await this.#database.query<{ name: string }>(worldNames, [])
    return rows.map(({ name }) => name)
  }

  change<T>(name: string, work: (change: Change) => T & Synchronous<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#requireSound()
      const { forwarded: request, deadline: until } = this.ownership
      this.#writer.add(name, { work, resolve: resolve as (result: unknown) => void, reject, request, until })
    })
  }

  read<T>(name: string, work: (view: View) => T & Synchronous<T>, since?: Moment): Promise<T> {
    return this.#fresh(name, (replica) => viewOf(replica, work), since)
  }

  moment(): Moment {
    return this.replicas.nextMoment()
  }

  readInSlices<T>(name: string, work: (view: View) => Promise<T>): Promise<T> {
    return this.#inTurn(this.#changing, name, () => this.#fresh(name, (replica) => viewOf(replica, work)))
  }

  dump(name: string): Promise<WorldRows> {
    return this.#fresh(name, (replica) => replica?.tables.rows() ?? {})
  }

  /** Returns whether the world exists, after notifying listeners. */
  has(name: string, since?: Moment): Promise<boolean> {
    return this.#fresh(name, (replica) => replica !== undefined, since)
  }

  async follow(name: string): Promise<void> {
    if (!this.#closed) await this.#fresh(name, () => {})
  }

  async load(name: string, rows: WorldRows, since?: number, stored?: StoredRows): Promise<void> {
    const before = this.replicas.get(name)?.life
    const event = await this.exclusively(name, () => this.#incarnations.begin(name, rows, since, stored))
    this.replicas.events.tell(name, event)
    if (before !== undefined) this.#forget(name, before)
  }

  /** Creates a world with these rows. Returns false if it exists. */
  async create(name: string, rows: WorldRows, { most = Infinity }: Creation = {}): Promise<boolean> {
    const made = await this.exclusively(name, () => this.#incarnations.make(name, rows, most))
    if (made) this.replicas.events.tell(name, 'created')
    return made
  }

  async drop(name: string): Promise<void> {
    await this.exclusively(name, () => this.#incarnations.end(name))
  }

  version(name: string): number {
    return this.replicas.get(name)?.version ?? 0
  }

  bytes(name: string): number {
    return this.replicas.get(name)?.tables.bytes ?? 0
  }

  inboxBytes(name: string): number {
    return this.replicas.get(name)?.tables.inboxBytes ?? 0
  }

  /** Writes a note in order among the changes of the world. It is repeated if the connection is lost; otherwise errors are ignored. */
  note(name: string, work: Note, tries = NOTE_TRIES): void {
    if (this.#closed || this.unavailable) return
    const reject = (error: unknown) => {
      if (tries > 1 && error instanceof StoreUnavailable) this.note(name, work, tries - 1)
    }
    this.#writer.addPatiently(name, { work, resolve: () => {}, reject, until: this.ownership.deadline })
  }

  /** Reads the changes of other processes and runs `work`, while the world is locked in this process. */
  caughtUp(name: string, work: (replica: Replica | undefined) => Promise<void>): Promise<void> {
    // Pending notes must be included.
    this.#writer.hurry(name)
    return this.#inTurn(this.#changing, name, () => this.#fresh(name, work))
  }

  /** Returns the log entries of a world after one version up to another, limited to the last events. */
  async entries(name: string, after: number, upTo: number): Promise<readonly CommitNotice[]> {
    const rows = await this.#database.query<Entry>(entriesBetween, [name, after, upTo, EVENTS_KEPT])
    return rows.map(noticeOf)
  }

  isInUse(name: string): boolean {
    return this.#changing.isHeld(name) || this.#looking.isHeld(name)
  }

  onWorld(listener: (world: string, event: WorldEvent) => void): () => void {
    return this.replicas.events.add(listener)
  }

  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void {
    return this.replicas.commits.add(listener)
  }

  onRecovered(listener: () => void): () => void {
    return this.#database.onRecovered(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#writer.hurry()
    await this.#changing.idle()
    await this.#looking.idle()
  }

  /** Deletes the rows of an ended life and other obsolete rows. */
  #forget(name: string, life: string): void {
    this.#incarnations
      .forget(name, life)
      .catch(
        (error: unknown) =>
          this.#closed || this.unavailable || this.#onError(error, { of: 'forgetting', world: name }),
      )
  }

  /** Runs work while holding a replica that reflects a moment. */
  async #fresh<T>(
    name: string,
    work: (replica: Replica | undefined) => T | Promise<T>,
    since = this.replicas.nextMoment(),
  ): Promise<T> {
    this.#requireSound()
    // Queried before taking the lock, so that no one waits for a response that they do not need.
    const isKnown = this.ownership.isCurrent(name) || this.replicas.isFresh(name, since)
    const seen = isKnown ? undefined : await this.#refresher.add(name, undefined)
    return this.#inTurn(this.#looking, name, async () => {
      if (seen && !this.replicas.isFresh(name, since)) await this.#follow(name, seen)
      return work(this.replicas.get(name))
    })
  }

  /** Updates a replica; the caller must hold the lock. */
  async #follow(name: string, seen: Answer): Promise<void> {
    const known = this.replicas.get(name)
    // The response may be older than a creation or replacement of the world by this process.
    const { rows, moment } =
      known && seen.rows[0]?.life !== known.life ? await this.#refresher.add(name, undefined) : seen
    await this.replicas.follow(name, rows, moment, (bytes) => readWorld(this.#database, name, bytes))
  }

  /** Runs work while no other process answers for a world, and this one neither reads nor changes it. */
  exclusively<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const until = this.ownership.deadline
    return this.#inTurn(this.#changing, name, async () => {
      // Otherwise the process that answers for the world would not notice.
      if (await this.ownership.isTaken(name)) await this.ownership.obtain(name, until)
      return this.#inTurn(this.#looking, name, work)
    })
  }

  async #inTurn<T>(mutex: KeyedMutex, name: string, work: () => T | Promise<T>): Promise<T> {
    this.#requireSound()
    return mutex.run(name, work)
  }

  #requireSound(): void {
    if (this.#closed) throw new StoreUnavailable('The store is closed', { final: true })
    if (this.unavailable) throw this.unavailable
  }
}

async function viewOf<T>(replica: Replica | undefined, work: (view: View) => T | Promise<T>): Promise<T> {
  const view = new WorldView(replica?.tables ?? new WorldTables())
  try {
    return await work(view)
  } finally {
    view.end()
  }
}
