import { WorldTables } from '../../store/world.ts'
import { WorldView } from '../../store/change.ts'
import { KeyedMutex } from '../../store/keyed-mutex.ts'
import {
  type Change,
  type Moment,
  type Synchronous,
  type RowChange,
  type Store,
  StoreUnavailable,
  type View,
  type WorldEvent,
  type WorldRows,
} from '../../store/store.ts'
import type { OnError } from '../../../lib/listeners.ts'
import type { Creation } from '../worlds.ts'
import { REMEMBERED } from '../memory/event-log.ts'
import type { Describe } from './batch.ts'
import { type Database, statement } from './database.ts'
import { foldIfOwed } from './parts.ts'
import {
  type Answer,
  type Note,
  Refresher,
  Replica,
  Replicas,
  type CommitNotice,
  noticeOf,
  type WholeRow,
  wholeWorld,
} from './replicas.ts'
import { WorldIncarnations } from './world-incarnations.ts'
import { Writer } from './writer.ts'
const worldNames = statement('names', 'select name from worlds order by name')

interface EntryRow {
  readonly version: number
  readonly writes: string
  readonly time: number | null
}

/** The entries of a world, over its lives, after one version, `$2`, and up to another, `$3`: those that make the last events, `$4`. */
const entriesBetween = statement(
  'entries',
  `select k.version, k.writes, k.time from (
     select l.version, l.writes, l.time,
            sum(coalesce(l.events, 1)) over (order by l.version desc) - coalesce(l.events, 1) as later
       from log l join worlds w on w.name = l.world and (w.life = l.life or w.born = l.born)
      where l.world = $1 and l.version > $2 and l.version <= $3) k
    where k.later < $4 order by k.version`,
)
/** How often it is tried to tell of something beside rows. */
const NOTE_TRIES = 3

/** Rows of worlds in PostgreSQL, with a replica of each in memory, which follows before it is looked at. */
export class PostgresStore implements Store {
  readonly #database: Database
  readonly #onError: OnError
  /** Who may change a world. */
  readonly #changing = new KeyedMutex()
  /** Who has its replica; whoever may change it takes this second, once he looks at it. */
  readonly #looking = new KeyedMutex()
  readonly #replicas: Replicas
  readonly #refresher: Refresher
  readonly #incarnations: WorldIncarnations
  readonly #writer: Writer
  #closed = false
  /** What changes are kept with in the log. */
  describe: Describe = () => undefined

  constructor(database: Database, onError: OnError) {
    this.#database = database
    this.#onError = onError
    this.#replicas = new Replicas(onError)
    this.#refresher = new Refresher(database, this.#replicas)
    this.#incarnations = new WorldIncarnations(database, this.#replicas)
    this.#writer = new Writer({
      database,
      replicas: this.#replicas,
      changing: this.#changing,
      looking: this.#looking,
      describe: (world, written) => this.describe(world, written),
      onKept: (name) =>
        foldIfOwed(database, name, this.#replicas.get(name)).catch((error: unknown) =>
          onError(error, { of: 'folding', world: name }),
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
      this.#writer.add(name, { work, resolve: resolve as (result: unknown) => void, reject })
    })
  }

  read<T>(name: string, work: (view: View) => T & Synchronous<T>, since?: Moment): Promise<T> {
    const look = (replica: Replica | undefined) => {
      const view = new WorldView(replica?.tables ?? new WorldTables())
      try {
        return work(view)
      } finally {
        view.end()
      }
    }
    return this.#fresh(name, look, since)
  }

  moment(): Moment {
    return this.#replicas.nextMoment()
  }

  readInSlices<T>(name: string, work: (view: View) => Promise<T>): Promise<T> {
    const look = async (replica: Replica | undefined) => {
      const view = new WorldView(replica?.tables ?? new WorldTables())
      try {
        return await work(view)
      } finally {
        view.end()
      }
    }
    return this.#inTurn(this.#changing, name, () => this.#fresh(name, look))
  }

  dump(name: string): Promise<WorldRows> {
    return this.#fresh(name, (replica) => replica?.tables.rows() ?? {})
  }

  /** Whether there is such a world; what became of it is told by then. */
  has(name: string, since?: Moment): Promise<boolean> {
    return this.#fresh(name, (replica) => replica !== undefined, since)
  }

  /** Takes over what others did in a world that this process has. */
  async follow(name: string): Promise<void> {
    if (!this.#closed) await this.#fresh(name, () => {})
  }

  async load(name: string, rows: WorldRows, since?: number): Promise<void> {
    const before = this.#replicas.get(name)?.life
    const event = await this.#exclusively(name, () => this.#incarnations.begin(name, rows, since))
    this.#replicas.events.tell(name, event)
    if (before !== undefined) this.#forget(name, before)
  }

  /** Makes a world of these rows where there is none of this name; answers whether it did. */
  async create(name: string, rows: WorldRows, { most = Infinity }: Creation = {}): Promise<boolean> {
    const made = await this.#exclusively(name, () => this.#incarnations.make(name, rows, most))
    if (made) this.#replicas.events.tell(name, 'created')
    return made
  }

  async drop(name: string): Promise<void> {
    await this.#exclusively(name, () => this.#incarnations.end(name))
  }

  version(name: string): number {
    return this.#replicas.get(name)?.version ?? 0
  }

  bytes(name: string): number {
    return this.#replicas.get(name)?.tables.bytes ?? 0
  }

  inboxBytes(name: string): number {
    return this.#replicas.get(name)?.tables.inboxBytes ?? 0
  }

  /**
   * Tells of something beside rows, in its place among the changes of the world. What a lost connection took is told again;
   * what cannot be told then is lost.
   */
  note(name: string, work: Note, tries = NOTE_TRIES): void {
    if (this.#closed || this.unavailable) return
    const reject = (error: unknown) => {
      if (tries > 1 && error instanceof StoreUnavailable) this.note(name, work, tries - 1)
    }
    this.#writer.addPatiently(name, { work, resolve: () => {}, reject })
  }

  /** The database's time. */
  wall(): number {
    return this.#database.clock.wall()
  }

  /** Tells this process from others. */
  get node(): string {
    return this.#replicas.node
  }

  /** Whether somebody watches the phones of a world by way of another process, as of the last look at it. */
  isWatched(name: string): boolean {
    return this.#replicas.get(name)?.watched ?? false
  }

  /** Calls `listener` for all that comes into the logs of the worlds that this process has, before others hear of it. */
  onEntry(listener: (world: string, told: CommitNotice) => void): () => void {
    return this.#replicas.entries.add(listener)
  }

  /** Changes of other processes that were taken over. */
  get takenOver(): number {
    return this.#replicas.takenOver
  }

  /** Calls `listener` where entries were not told of one by one: a world was read as a whole. Nothing happens in it until that is over. */
  onLeap(listener: (world: string, replica: Replica) => Promise<void>): void {
    this.#replicas.onLeap = listener
  }

  /** Catches up with a world; nothing happens in it here until `work` is over. */
  caughtUp(name: string, work: (replica: Replica | undefined) => Promise<void>): Promise<void> {
    // What was told here is there by then.
    this.#writer.hurry(name)
    return this.#inTurn(this.#changing, name, () => this.#fresh(name, work))
  }

  /** What the log has of a world after a version and up to another, over lives: the entries that make the last events. */
  async entries(name: string, after: number, upTo: number): Promise<readonly CommitNotice[]> {
    const rows = await this.#database.query<EntryRow>(entriesBetween, [name, after, upTo, REMEMBERED])
    return rows.map(noticeOf)
  }

  /** Whether there is such a world, as far as this process has heard. */
  isKnown(name: string): boolean {
    return this.#replicas.isKnown(name)
  }

  /** The life of a world's rows, as far as this process knows; empty when it has none. */
  lifeOf(name: string): string {
    return this.#replicas.get(name)?.life ?? ''
  }

  /** Where this process is in a world; undefined where it has no rows of it. */
  placeOf(name: string): { readonly life: string; readonly version: number } | undefined {
    return this.#replicas.get(name)
  }

  /** Whether somebody reads or changes a world just now. */
  isInUse(name: string): boolean {
    return this.#changing.isHeld(name) || this.#looking.isHeld(name)
  }

  /** Forgets the rows of a world that nobody uses just now; whoever asks for it has them read again. */
  forget(name: string): void {
    this.#replicas.forget(name)
  }

  onWorld(listener: (world: string, event: WorldEvent) => void): () => void {
    return this.#replicas.events.add(listener)
  }

  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void {
    return this.#replicas.commits.add(listener)
  }

  onRecovered(listener: () => void): () => void {
    return this.#database.onRecovered(listener)
  }

  /** Waits for what is running. */
  async close(): Promise<void> {
    this.#closed = true
    this.#writer.hurry()
    await this.#changing.idle()
    await this.#looking.idle()
  }

  /** Forgets the rows of a life that is over, and what else nobody reads any more. */
  #forget(name: string, life: string): void {
    this.#incarnations
      .forget(name, life)
      .catch(
        (error: unknown) =>
          this.#closed || this.unavailable || this.#onError(error, { of: 'forgetting', world: name }),
      )
  }

  /** Runs work on a replica that nobody else looks at, once it has what was there at a moment. */
  async #fresh<T>(
    name: string,
    work: (replica: Replica | undefined) => T | Promise<T>,
    since = this.#replicas.nextMoment(),
  ): Promise<T> {
    this.#requireSound()
    // Asked while others have the replica, so that nobody waits for the answer who has no need of it.
    const seen = this.#replicas.isFresh(name, since) ? undefined : await this.#refresher.ask(name)
    return this.#inTurn(this.#looking, name, async () => {
      if (seen && !this.#replicas.isFresh(name, since)) await this.#follow(name, seen)
      return work(this.#replicas.get(name))
    })
  }

  /** Takes over what was seen of a world; to be called by who has its replica. */
  async #follow(name: string, seen: Answer): Promise<void> {
    const known = this.#replicas.get(name)
    // It may have been seen before this process made the world, or put other rows in the place of its own.
    const { rows, moment } =
      known && seen.rows[0]?.life !== known.life ? await this.#refresher.ask(name) : seen
    await this.#replicas.follow(name, rows, moment, () => this.#database.query<WholeRow>(wholeWorld, [name]))
  }

  /** Runs work that changes a world otherwise than by changes of rows, while nobody else has it. */
  #exclusively<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    return this.#inTurn(this.#changing, name, () => this.#inTurn(this.#looking, name, work))
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
