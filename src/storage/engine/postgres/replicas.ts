import { WorldChange } from '../../store/change.ts'
import type { RowChange, WorldEvent, WorldRows } from '../../store/store.ts'
import { addRows, WorldTables } from '../../store/world.ts'
import { Listeners, type OnError } from '../../../lib/listeners.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { CLOCK, type Database, statement } from './database.ts'
import { systemMonotonic } from '../../../lib/clock/steady.ts'

/** Where a world is in the database. */
export interface Place {
  /** Tells it from an earlier world of its name. */
  readonly born: string
  /** Another whenever other rows took the place of its own. */
  readonly life: string
  readonly version: number
}

/** What happened beside rows. */
export interface Note {
  readonly type: string
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly data: unknown
  /** What the data takes in memory. */
  readonly bytes: number
}

/** What an entry of the log is told of as. */
export interface CommitNotice {
  readonly version: number
  readonly written: readonly RowChange[]
  readonly note?: Note | undefined
  /** When it happened on the world's clock; undefined where nobody said so. */
  readonly time?: number | undefined
}

/** Texts of what changes wrote, or of a note, and their versions. */
export interface Entry {
  readonly version: number
  readonly writes: string
  readonly time: number | null
}

/** A process's copy of a world's rows: what the database had at a version. */
export class Replica implements Place {
  readonly born: string
  readonly life: string
  version: number
  /** The version that it will have once all is kept that was written here. */
  coming: number
  readonly tables: WorldTables
  /** What the parts and the log since take in the database, as far as this process knows. */
  baseBytes = 0
  logBytes = 0
  /** Somebody watches the phones of the world, by way of another process, as far as this one knows. */
  watched = false

  constructor({ born, life, version }: Place, tables: WorldTables) {
    this.born = born
    this.life = life
    this.version = version
    this.coming = version
    this.tables = tables
  }

  /** Takes over the next entry of the log. */
  apply(entry: Entry): CommitNotice {
    if (entry.version !== this.version + 1)
      throw new Error(`after version ${this.version} comes no ${entry.version}`)
    this.version = this.coming = entry.version
    const told = noticeOf(entry)
    const change = new WorldChange(this.tables)
    for (const { table, key, row } of told.written) {
      if (row) change.put(table, row)
      else change.delete(table, key)
    }
    change.end()
    return told
  }
}

/** What an entry of the log says. */
export function noticeOf({ version, writes, time }: Entry): CommitNotice {
  if (writes.startsWith('{')) return { version, written: [], note: JSON.parse(writes) as Note }
  return { version, written: writtenIn(writes), time: time ?? undefined }
}

/** A world of parts, in order. */
export function tablesOf(parts: readonly string[]): WorldTables {
  if (parts.length === 1) return new WorldTables(JSON.parse(parts[0]!) as WorldRows)
  const tables = new WorldTables()
  for (const part of parts) addRows(tables, JSON.parse(part) as WorldRows)
  return tables
}

/** What a change wrote, as the log has it: a list of `[table, key]`, and the row unless it is gone. */
export const textOf = (written: readonly RowChange[]): string =>
  JSON.stringify(written.map(({ table, key, row }) => (row ? [table, key, row] : [table, key])))

const writtenIn = (writes: string): readonly RowChange[] =>
  (JSON.parse(writes) as [RowChange['table'], RowChange['key'], RowChange['row']?][]).map(
    ([table, key, row]) => ({
      table,
      key,
      row,
    }),
  )

/** Locks the worlds that nobody else writes to just now. Others are not waited for. */
export const lockFree = statement(
  'lock_free',
  `select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update skip locked`,
)

/** Locks a world, waiting in line for it. */
export const lockWaiting = statement(
  'lock_waiting',
  `select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update`,
)

export interface SinceRow extends Place {
  readonly name: string
  readonly base_bytes: number
  readonly log_bytes: number
  readonly entry: number | null
  readonly writes: string | null
  readonly time: number | null
  /** Somebody watches its phones, by way of another process. */
  readonly watched: boolean
  readonly clock: number
}

/**
 * How worlds are now, and what was appended to each since a version of a life. `offset 0` has the log looked at by its whole
 * key: without it, and before the database has counted rows, a look takes all of a life and leaves out most.
 */
export const changesSince = statement(
  'since',
  `select w.name, w.born, w.life, w.version, w.base_bytes, w.log_bytes, l.version as entry, l.writes, l.time,
          exists (select 1 from watchers x where x.world = w.name and x.node <> $4 and x.until > clock_timestamp()) as watched,
          ${CLOCK}
     from unnest($1::text[], $2::text[], $3::bigint[]) as h(name, life, version)
     join worlds w on w.name = h.name
     left join lateral (
       select e.version, e.writes, e.time from log e
        where e.world = h.name and e.life = h.life and e.version > h.version offset 0
     ) l on h.life = w.life
    order by w.name, l.version`,
)

export interface WholeRow extends Place {
  readonly base_bytes: number
  readonly log_bytes: number
  readonly kind: 'part' | 'log' | null
  readonly n: number | null
  readonly text: string | null
}

/** A world from its parts and the log since, in one look. */
export const wholeWorld = statement(
  'whole',
  `with w as (select * from worlds where name = $1)
   select w.born, w.life, w.version, w.base_bytes, w.log_bytes, e.kind, e.n, e.text
     from w left join (
       select 'part' as kind, p.part::bigint as n, p.rows as text
         from parts p, w where p.world = w.name and p.life = w.life and p.base = w.base
       union all
       select 'log', l.version, l.writes
         from log l, w where l.world = w.name and l.life = w.life and l.version > w.base
     ) e on true
    order by e.kind desc, e.n`,
)

type Committed = [world: string, written: readonly RowChange[], version: number]

/** The worlds that a process has met: the rows it has of each, and who hears what becomes of them. */
export class Replicas {
  readonly commits: Listeners<Committed>
  readonly events: Listeners<[world: string, event: WorldEvent]>
  /** All that is in logs, what was written and what else happened; told before others hear of it. */
  readonly entries: Listeners<[world: string, told: CommitNotice]>
  /** Tells this process from others. */
  readonly node = systemUuid()
  readonly #replicas = new Map<string, Replica>()
  /** Those that were told of, whether their rows were read or not. */
  readonly #known = new Set<string>()
  /** Of each world: the last look at the database that its replica follows. */
  readonly #looks = new Map<string, number>()
  #look = 0
  /** Changes of others that were taken over. */
  takenOver = 0
  /** CommitNotice where the log of a world has entries that were not told of one by one. */
  onLeap: (name: string, replica: Replica) => Promise<void> = async () => {}

  constructor(onError: OnError) {
    this.commits = new Listeners<Committed>((error, world, written) =>
      onError(error, { of: 'commit', world, tables: [...new Set(written.map(({ table }) => table))] }),
    )
    this.events = new Listeners((error, world, event) => onError(error, { of: event, world }))
    this.entries = new Listeners<[world: string, told: CommitNotice]>((error, world) =>
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

  /** Numbers the moments of this process, to say which look at the database came after which question. */
  nextMoment(): number {
    return ++this.#look
  }

  /** Whether there is a replica that follows a look which came after this moment. */
  isFresh(name: string, moment: number): boolean {
    return this.#replicas.has(name) && (this.#looks.get(name) ?? 0) > moment
  }

  /** Puts a replica in the place of the one there was. */
  set(name: string, replica: Replica): void {
    this.#known.add(name)
    this.#replicas.set(name, replica)
  }

  /** Tells of an entry of a world's log. */
  tell(name: string, told: CommitNotice): void {
    this.entries.tell(name, told)
    if (!told.note) this.commits.tell(name, told.written, told.version)
  }

  /** Forgets the rows of a world that is there still; whoever asks for it has them read again. */
  forget(name: string): void {
    this.#replicas.delete(name)
    this.#looks.delete(name)
    this.#known.delete(name)
  }

  /** Forgets a world, and says so. */
  drop(name: string): void {
    this.#replicas.delete(name)
    this.#looks.delete(name)
    if (this.#known.delete(name)) this.events.tell(name, 'dropped')
  }

  /**
   * Takes over how a world is in the database; to be called by who has it alone.
   * @param rows as `since` answers them; none: there is no such world
   * @param look the moment at which the database was asked
   * @param readWhole reads the world as a whole, where the replica is too far behind, or of another life
   */
  async follow(
    name: string,
    rows: readonly SinceRow[],
    look: number,
    readWhole: () => Promise<readonly WholeRow[]>,
  ): Promise<Replica | undefined> {
    const [now] = rows
    if (!now) {
      if (this.#known.has(name)) this.drop(name)
      return undefined
    }
    const known = this.#replicas.get(name)
    if (known?.life !== now.life || !this.#apply(name, known, rows))
      await this.#begin(name, known, await readWhole())
    const replica = this.#replicas.get(name)
    if (!replica) return undefined
    const before = this.#looks.get(name) ?? 0
    if (look >= before) replica.watched = now.watched
    this.#looks.set(name, Math.max(look, before))
    replica.baseBytes = now.base_bytes
    replica.logBytes = now.log_bytes
    return replica
  }

  /** Answers whether all that was appended is there. */
  #apply(name: string, replica: Replica, rows: readonly SinceRow[]): boolean {
    for (const { entry, writes, time } of rows) {
      if (entry === null || entry <= replica.version) continue
      if (entry !== replica.version + 1) return false
      this.takenOver += 1
      this.tell(name, replica.apply({ version: entry, writes: writes!, time }))
    }
    return replica.version >= rows[0]!.version
  }

  async #begin(name: string, before: Replica | undefined, rows: readonly WholeRow[]): Promise<void> {
    const [now] = rows
    if (!now) return this.drop(name)
    const texts = (kind: string) => rows.filter((row) => row.kind === kind)
    const log = texts('log')
    const tables = tablesOf(texts('part').map(({ text }) => text!))
    const replica = new Replica({ ...now, version: now.version - log.length }, tables)
    for (const { n, text } of log) replica.apply({ version: n!, writes: text!, time: null })
    const isKnown = this.#known.has(name)
    const isOther = before !== undefined && before.born !== now.born
    if (isOther) this.drop(name)
    this.set(name, replica)
    await this.onLeap(name, replica)
    if (!isKnown || isOther) this.events.tell(name, 'created')
    else if (before) this.events.tell(name, 'replaced')
  }
}

/** What the database said, and at which moment it was asked. */
export interface Answer {
  readonly rows: readonly SinceRow[]
  readonly moment: number
}

interface Asked {
  readonly answered: ((answer: Answer) => void)[]
  readonly failed: ((error: unknown) => void)[]
}

/** Statements under way at a time: more would each ask for less. */
const MOST_RUNNING = 2

/** Asks what happened in worlds, in one statement for all who ask while others are under way. */
export class Refresher {
  readonly #database: Database
  readonly #replicas: Replicas
  #waiting = new Map<string, Asked>()
  #running = 0

  constructor(database: Database, replicas: Replicas) {
    this.#database = database
    this.#replicas = replicas
  }

  /** How the world is now, and what was appended since; no row when there is none. */
  ask(name: string): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      const asked = this.#waiting.get(name)
      if (asked) {
        asked.answered.push(resolve)
        asked.failed.push(reject)
      } else this.#waiting.set(name, { answered: [resolve], failed: [reject] })
    })
    if (this.#running < MOST_RUNNING) void this.#run()
    return answer
  }

  async #run(): Promise<void> {
    this.#running += 1
    // Whoever asks in this turn is asked for with the first.
    await undefined
    while (this.#waiting.size > 0) {
      const asked = this.#waiting
      this.#waiting = new Map()
      const moment = this.#replicas.nextMoment()
      try {
        const sent = systemMonotonic()
        const rows = await this.#database.query<SinceRow>(changesSince, haveOf(asked.keys(), this.#replicas))
        if (rows[0]) this.#database.clock.note(sent, systemMonotonic(), rows[0].clock)
        const byName = grouped(rows)
        for (const [name, { answered }] of asked)
          for (const resolve of answered) resolve({ rows: byName.get(name) ?? [], moment })
      } catch (error) {
        for (const { failed } of asked.values()) for (const reject of failed) reject(error)
      }
    }
    this.#running -= 1
  }
}

/** The parameters of `since`: what this process has of worlds, and what it is writing; and who it is. */
export function haveOf(
  names: Iterable<string>,
  replicas: { readonly node: string; get(name: string): Replica | undefined },
): unknown[] {
  const all = [...names]
  const places = all.map((name) => replicas.get(name))
  return [
    all,
    places.map((place) => place?.life ?? ''),
    places.map((place) => place?.coming ?? 0),
    replicas.node,
  ]
}

/** The rows of each world. */
export function grouped(rows: readonly SinceRow[]): ReadonlyMap<string, readonly SinceRow[]> {
  const byName = new Map<string, SinceRow[]>()
  for (const row of rows) {
    const known = byName.get(row.name)
    if (known) known.push(row)
    else byName.set(row.name, [row])
  }
  return byName
}
