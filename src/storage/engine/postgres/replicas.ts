import { WorldChange, type RowChange, type WorldEvent } from '../../store/change.ts'
import type { Card } from '../worlds.ts'
import type { WorldTables } from '../../store/world.ts'
import { Listeners, type OnError } from '../../../lib/listeners.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { type Batch, Batcher } from './client.ts'
import { CLOCK, type Database, statement } from './database.ts'
import { systemMonotonic } from '../../../lib/clock/clock.ts'

/** The identity and version of a world in the database. */
export interface Place {
  /** Distinguishes it from earlier worlds of its name. */
  readonly born: string
  /** Changes whenever all rows are replaced. */
  readonly life: string
  readonly version: number
}

/** An event that is not derived from rows. */
export interface Note {
  readonly type: string
  readonly at: number
  readonly data: unknown
  /** Memory that the data takes. */
  readonly bytes: number
}

/** A log entry as listeners get it. */
export interface CommitNotice {
  readonly version: number
  readonly written: readonly RowChange[]
  readonly note?: Note | undefined
  /** On the world's clock, if known. */
  readonly time?: number | undefined
}

/** A log entry as JSON: the written rows, or a note. */
export interface Entry {
  readonly version: number
  readonly writes: string
  readonly time: number | null
}

/** A process's copy of a world's rows at a version. */
export class Replica implements Place {
  readonly born: string
  readonly life: string
  version: number
  /** The version after the changes that are being committed. */
  coming: number
  readonly tables: WorldTables
  /** Size of the parts and of the log since then in the database, as far as this process knows. */
  baseBytes = 0
  logBytes = 0
  /** Whether anyone watches the world's phones through another process. */
  watched = false
  /** The card in the database, if this process owns the world and wrote it. */
  card: Card | undefined

  constructor({ born, life, version }: Place, tables: WorldTables) {
    this.born = born
    this.life = life
    this.version = version
    this.coming = version
    this.tables = tables
  }

  apply(entry: Entry): CommitNotice {
    if (entry.version !== this.version + 1)
      throw new Error(`version ${this.version} cannot be followed by ${entry.version}`)
    this.version = this.coming = entry.version
    this.card = undefined
    const notice = noticeOf(entry)
    writeTo(this.tables, notice.written)
    return notice
  }
}

export function writeTo(tables: WorldTables, written: readonly RowChange[]): void {
  const change = new WorldChange(tables)
  for (const { table, key, row } of written) {
    if (row) change.put(table, row)
    else change.delete(table, key)
  }
  change.end()
}

export function noticeOf({ version, writes, time }: Entry): CommitNotice {
  if (writes.startsWith('{')) return { version, written: [], note: JSON.parse(writes) as Note }
  return { version, written: writtenIn(writes), time: time ?? undefined }
}

/** Returns the written rows as JSON: a list of `[table, key]`, followed by the row unless it was deleted. */
export const textOf = (written: readonly RowChange[]): string =>
  JSON.stringify(written.map(({ table, key, row }) => (row ? [table, key, row] : [table, key])))

export const writtenIn = (writes: string): readonly RowChange[] =>
  (JSON.parse(writes) as [RowChange['table'], RowChange['key'], RowChange['row']?][]).map(
    ([table, key, row]) => ({
      table,
      key,
      row,
    }),
  )

export const lockWaiting = statement`
  select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update`

export interface SinceRow extends Place {
  readonly name: string
  readonly base_bytes: number
  readonly log_bytes: number
  readonly entry: number | null
  readonly writes: string | null
  readonly time: number | null
  /** Whether anyone watches its phones through another process. */
  readonly watched: boolean
  /** The process that last took it, whether its lease lasts, and whether another process runs the jobs. */
  readonly owner: string | null
  readonly owned: boolean
  readonly leased: boolean
  readonly clock: number
}

/**
 * Reads the state of worlds, and the log entries since a version of a life. `offset 0` makes the planner use the whole key of the
 * log: otherwise, before statistics exist, it reads the whole life.
 */
export const changesSince = statement`
  select w.name, w.born, w.life, w.version, w.base_bytes, w.log_bytes, l.version as entry, l.writes, l.time,
         exists (select 1 from watchers x where x.world = w.name and x.node <> $4 and x.until > clock_timestamp()) as watched,
         w.owner::text as owner, r.id is not null as owned,
         exists (select 1 from job_owners j where j.world = w.name and j.runner <> all($5::text[])
                    and j.until > extract(epoch from statement_timestamp()) * 1000) as leased,
         ${CLOCK}
    from unnest($1::text[], $2::text[], $3::bigint[]) as h(name, life, version)
    join worlds w on w.name = h.name
    left join runners r on r.id = w.owner and r.until > statement_timestamp()
    left join lateral (
      select e.version, e.writes, e.time from log e
       where e.world = h.name and e.life = h.life and e.version > h.version offset 0
    ) l on h.life = w.life
   order by w.name, l.version`

type Committed = [world: string, written: readonly RowChange[], version: number]

/** The moments of all databases are in one order. */
let look = 0

/** The replicas of this process, and the listeners for their changes. */
export class Replicas {
  readonly commits: Listeners<Committed>
  readonly events: Listeners<[world: string, event: WorldEvent]>
  /** All log entries, including notes; called before `commits`. */
  readonly entries: Listeners<[world: string, notice: CommitNotice]>
  readonly node = systemUuid()
  /** The runners of this process in the job queue. */
  readonly runners = new Set<string>()
  readonly #replicas = new Map<string, Replica>()
  /** Worlds that listeners know, whether their rows are in memory or not. */
  readonly #known = new Set<string>()
  /** For each world, the last query that its replica reflects. */
  readonly #looks = new Map<string, number>()
  takenOver = 0
  /** Called after a world was read as a whole, without notices of single log entries. */
  onLeap: (name: string, replica: Replica) => Promise<void> = async () => {}

  constructor(onError: OnError) {
    this.commits = new Listeners<Committed>((error, world, written) =>
      onError(error, { of: 'commit', world, tables: [...new Set(written.map(({ table }) => table))] }),
    )
    this.events = new Listeners((error, world, event) => onError(error, { of: event, world }))
    this.entries = new Listeners<[world: string, notice: CommitNotice]>((error, world) =>
      onError(error, { of: 'entry', world }),
    )
  }

  get(name: string): Replica | undefined {
    return this.#replicas.get(name)
  }

  isKnown(name: string): boolean {
    return this.#known.has(name)
  }

  know(name: string): void {
    this.#known.add(name)
  }

  /** Numbers the moments of this process, to order queries. */
  nextMoment(): number {
    return ++look
  }

  /** Returns whether the replica reflects a query sent after this moment. */
  isFresh(name: string, moment: number): boolean {
    return this.#replicas.has(name) && (this.#looks.get(name) ?? 0) > moment
  }

  /** Returns the moment that the replica reflects. */
  lookOf(name: string): number {
    return this.#looks.get(name) ?? 0
  }

  set(name: string, replica: Replica): void {
    this.#known.add(name)
    this.#replicas.set(name, replica)
  }

  /** Notifies listeners of a log entry. */
  tell(name: string, notice: CommitNotice): void {
    this.entries.tell(name, notice)
    if (!notice.note) this.commits.tell(name, notice.written, notice.version)
  }

  /** Frees the rows of an existing world. */
  forget(name: string): void {
    this.#replicas.delete(name)
    this.#looks.delete(name)
    this.#known.delete(name)
  }

  /** Forgets a dropped world and notifies listeners. */
  drop(name: string): void {
    this.#replicas.delete(name)
    this.#looks.delete(name)
    if (this.#known.delete(name)) this.events.tell(name, 'dropped')
  }

  /**
   * Updates a replica; the caller must hold the world's lock.
   * @param rows - From `changesSince`, none if the world does not exist.
   * @param look - The moment of the query.
   * @param readWhole - Reads the whole world, of which it gets the size, if the replica is too far behind or of another life.
   */
  async follow(
    name: string,
    rows: readonly SinceRow[],
    look: number,
    readWhole: (bytes: number) => Promise<Replica | undefined>,
  ): Promise<Replica | undefined> {
    const [now] = rows
    if (!now) {
      if (this.#known.has(name)) this.drop(name)
      return undefined
    }
    const known = this.#replicas.get(name)
    if (known?.life !== now.life || !this.#apply(name, known, rows))
      await this.#begin(name, known, await readWhole(now.base_bytes + now.log_bytes))
    const replica = this.#replicas.get(name)
    if (!replica) return undefined
    const before = this.#looks.get(name) ?? 0
    if (look >= before) replica.watched = now.watched
    this.#looks.set(name, Math.max(look, before))
    replica.baseBytes = now.base_bytes
    replica.logBytes = now.log_bytes
    return replica
  }

  /** Returns whether the replica is up to date. */
  #apply(name: string, replica: Replica, rows: readonly SinceRow[]): boolean {
    for (const { entry, writes, time } of rows) {
      if (entry === null || entry <= replica.version) continue
      if (entry !== replica.version + 1) return false
      this.takenOver += 1
      this.tell(name, replica.apply({ version: entry, writes: writes!, time }))
    }
    return replica.version >= rows[0]!.version
  }

  async #begin(name: string, before: Replica | undefined, replica: Replica | undefined): Promise<void> {
    if (!replica) return this.drop(name)
    const isKnown = this.#known.has(name)
    const isOther = before !== undefined && before.born !== replica.born
    if (isOther) this.drop(name)
    this.set(name, replica)
    await this.onLeap(name, replica)
    if (!isKnown || isOther) this.events.tell(name, 'created')
    else if (before) this.events.tell(name, 'replaced')
  }
}

/** The result of `changesSince`, and the moment when it was sent. */
export interface Answer {
  readonly rows: readonly SinceRow[]
  readonly moment: number
}

/** Maximum number of statements at a time; with more, each would contain fewer worlds. */
const MOST_RUNNING = 2

/** Reads the changes of worlds, in one statement for all callers that wait. */
export const createRefresher = (database: Database, replicas: Replicas) =>
  new Batcher<void, Answer>(async (batch: Batch<void, Answer>) => {
    const moment = replicas.nextMoment()
    const sent = systemMonotonic()
    const rows = await database.query<SinceRow>(changesSince, haveOf(batch.keys(), replicas))
    if (rows[0]) database.clock.note(sent, systemMonotonic(), rows[0].clock)
    const byName = grouped(rows)
    for (const [name, { callers }] of batch)
      for (const { resolve } of callers) resolve({ rows: byName.get(name) ?? [], moment })
  }, MOST_RUNNING)

/** Returns the parameters of `changesSince`: the versions in this process, including pending commits. */
export function haveOf(
  names: Iterable<string>,
  replicas: Pick<Replicas, 'node' | 'runners' | 'get'>,
): unknown[] {
  const all = [...names]
  const places = all.map((name) => replicas.get(name))
  return [
    all,
    places.map((place) => place?.life ?? ''),
    places.map((place) => place?.coming ?? 0),
    replicas.node,
    [...replicas.runners],
  ]
}

export function grouped(rows: readonly SinceRow[]): ReadonlyMap<string, readonly SinceRow[]> {
  const byName = new Map<string, SinceRow[]>()
  for (const row of rows) {
    const known = byName.get(row.name)
    if (known) known.push(row)
    else byName.set(row.name, [row])
  }
  return byName
}
