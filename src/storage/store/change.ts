import type { TableRows } from './table-rows.ts'
import type {
  CountName,
  Key,
  LookupName,
  OrderName,
  Row,
  SmallTable,
  TableName,
  WorldRows,
} from './tables.ts'
import type { AnyRows, WorldTables } from './world.ts'

export interface Mark {
  readonly of: object
  readonly revision: number
  readonly slots: number
}

export interface Added<Row> {
  readonly rows: readonly Row[]
  readonly anew: boolean
  readonly mark: Mark
}

/** A consistent view of one world's rows in memory, valid until `end`. */
export class WorldView {
  protected readonly world: WorldTables
  #ended = false

  constructor(world: WorldTables) {
    this.world = world
  }

  end(): void {
    this.#ended = true
  }

  /**
   * Changes when all rows are replaced, by `load` or because they could not be stored: keys may be reused from then on. It is
   * the same for all views and changes in between.
   */
  get generation(): number {
    return this.world.generation
  }

  /** Changes with every write to the table within a generation; for caches derived from its rows. */
  revision(table: TableName): number {
    return this.rows(table).writes
  }

  protected rows<Name extends TableName>(table: Name): TableRows<Row<Name>> {
    this.requireRunning(table)
    return this.world.tableToRead(table)
  }

  protected requireRunning(table: TableName): void {
    if (this.#ended) throw new Error(`This change or read has ended ("${table}" was used late)`)
  }

  get<Name extends TableName>(table: Name, key: Key): Row<Name> | undefined {
    return this.rows(table).get(key)
  }

  /** Returns the rows with a lookup value, oldest first; replacing a row does not change its age. */
  find<Name extends TableName>(table: Name, lookup: LookupName<Name>, value: Key): readonly Row<Name>[] {
    return this.rows(table).find(lookup, value)
  }

  /** Returns up to `limit` rows with a lookup value, newest first, after skipping `offset`. */
  newest<Name extends TableName>(
    table: Name,
    lookup: LookupName<Name>,
    value: Key,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): readonly Row<Name>[] {
    return this.rows(table).newest(lookup, value, offset, limit)
  }

  count<Name extends TableName>(table: Name, of: OrderName<Name> | CountName<Name>, group: Key): number {
    return this.rows(table).count(of, group)
  }

  /** Returns `limit` rows of a group after skipping `offset`, ascending unless `newestFirst`. */
  walk<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    page: { readonly offset: number; readonly limit: number; readonly newestFirst?: boolean },
  ): readonly Row<Name>[] {
    return this.rows(table).walk(order, group, page.offset, page.limit, page.newestFirst ?? false)
  }

  /** Returns the number of rows before a position of an order, and their sum if the order has sums. */
  rank<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    { by, key = -Infinity }: { readonly by: number; readonly key?: Key },
  ) {
    return this.rows(table).rank(order, group, by, key)
  }

  /** Returns up to `limit` rows with keys below `before`, highest first: a page of a list, newest first. */
  below<Name extends TableName>(
    table: Name,
    { before, limit }: { readonly before: Key; readonly limit: number },
  ): readonly Row<Name>[] {
    return this.rows(table).below(before, limit)
  }

  /** Returns the rows added since `mark`; all of them, with `anew`, if there is no mark or an older row was changed. */
  since<Name extends TableName>(table: Name, mark?: Mark): Added<Row<Name>> {
    const rows = this.rows(table)
    const { revision, nextSlot: slots } = rows
    const anew = mark?.of !== rows || mark.revision !== revision
    return { rows: rows.from(anew ? 0 : mark.slots), anew, mark: { of: rows, revision, slots } }
  }

  /** Returns every row of a small table, oldest first. Only `dump` returns all rows of the others. */
  all<Name extends SmallTable>(table: Name): readonly Row<Name>[] {
    return this.rows(table).all()
  }
}

export type View = Omit<WorldView, 'end'>

/** A view that also writes; its reads see its own writes. */
export type Change = Omit<WorldChange, 'end' | 'seal' | 'undo' | 'written'>

/**
 * The change of one row; `row` is undefined if it was deleted. A row that was deleted and added again appears twice, in that
 * order; a row that was added and deleted again does not appear.
 */
export interface RowChange {
  readonly table: TableName
  readonly key: Key
  readonly row: Row<TableName> | undefined
}

/** Writes immediately and remembers the previous rows for `undo`. */
export class WorldChange extends WorldView {
  readonly #touches: Touch[] = []
  /** The touched slots as a set, once there are many: `slot * MOST_TABLES + table number`. */
  #slots: Set<number> | undefined

  /** @throws {Error} If the key exists. */
  insert<Name extends TableName>(table: Name, row: Row<Name>): void {
    const rows = this.#own(table)
    const key = rows.keyOf(row)
    if (rows.slotOf(key) !== undefined) {
      throw new Error(`${table}: a row with the key ${JSON.stringify(key)} already exists`)
    }
    this.#set(table, rows, rows.nextSlot, row)
  }

  /** Adds a row or replaces the one with the same key. */
  put<Name extends TableName>(table: Name, row: Row<Name>): void {
    const rows = this.#own(table)
    this.#set(table, rows, rows.slotOf(rows.keyOf(row)) ?? rows.nextSlot, row)
  }

  /** Increments a counter, which begins at `start`, and returns its new value. */
  increment(counter: string, start: number): number {
    const rows = this.#own('counters')
    const slot = rows.slotOf(counter)
    const value = (slot === undefined ? start : rows.at(slot)!.value) + 1
    this.#set('counters', rows, slot ?? rows.nextSlot, { name: counter, value })
    return value
  }

  delete<Name extends TableName>(table: Name, key: Key): void {
    const rows = this.#own(table)
    const slot = rows.slotOf(key)
    if (slot !== undefined) this.#set(table, rows, slot, undefined)
  }

  /** Restores the previous rows, last write first. */
  undo(): void {
    for (const { rows, slot, before } of this.#touches.reverse()) {
      rows.writes += 1
      rows.set(slot, before)
    }
  }

  /** Returns the net changes in the order of first writes; a row inserted and deleted again is omitted. */
  written(): RowChange[] {
    const written: RowChange[] = []
    for (const { name, rows, slot, before } of this.#touches) {
      const row = rows.at(slot)
      const known = row ?? before
      if (known) written.push({ table: name, key: rows.keyOf(known), row })
    }
    return written
  }

  /** Rejects every call from now on; `undo` still works until `end`. */
  seal(): void {
    super.end()
  }

  /** Frees what the change left empty. Call it after `undo` or `written`. */
  override end(): void {
    super.end()
    for (const { rows } of this.#touches) rows.tidy()
  }

  #own<Name extends TableName>(table: Name): TableRows<Row<Name>> {
    this.requireRunning(table)
    return this.world.table(table)
  }

  #set<Name extends TableName>(
    name: Name,
    of: TableRows<Row<Name>>,
    slot: number,
    row: Row<Name> | undefined,
  ) {
    const rows = of as unknown as AnyRows
    this.world.beforeWrite?.()
    if (!this.#hasTouched(rows, slot)) {
      const before = rows.at(slot)
      if (before !== undefined) rows.revision += 1
      this.#touches.push({ name, rows, slot, before })
      this.#slots?.add(markOf(rows, slot))
    }
    rows.writes += 1
    rows.set(slot, row)
  }

  /** Most changes touch ten slots: scanning them is faster than building a set. */
  #hasTouched(rows: AnyRows, slot: number): boolean {
    const touches = this.#touches
    if (touches.length > FEW_TOUCHES)
      return (this.#slots ??= new Set(touches.map((touch) => markOf(touch.rows, touch.slot)))).has(
        markOf(rows, slot),
      )
    for (let i = 0; i < touches.length; i += 1)
      if (touches[i]!.slot === slot && touches[i]!.rows === rows) return true
    return false
  }
}

interface Touch {
  readonly name: TableName
  readonly rows: AnyRows
  readonly slot: number
  readonly before: Row<TableName> | undefined
}

const FEW_TOUCHES = 24
/** More tables than a world has. */
const MOST_TABLES = 64
const markOf = ({ number }: AnyRows, slot: number) => slot * MOST_TABLES + number

export type { WorldRows }

/** The store rejects everything, temporarily or until restarted; the message contains the reason. */
export class StoreUnavailable extends Error {
  /** True if only a restart helps. */
  readonly final: boolean

  constructor(message: string, { final = false, ...options }: ErrorOptions & { final?: boolean } = {}) {
    super(message, options)
    this.name = 'StoreUnavailable'
    this.final = final
  }
}

/** Compared for equality only. */
export type Generation = number

/** A point in time of this process. */
export type Moment = number

/** Reads from memory, without a query to the database. */
export const HEARD: Moment = -1

/** Rejects asynchronous work at compile time: its later steps would not be part of the change. */
export type Synchronous<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never

/** `replaced`: all rows were replaced by `load`. */
export type WorldEvent = 'created' | 'replaced' | 'dropped'

/** The rows of a snapshot that the engine has stored: one world can begin with them without writing them again. */
export interface StoredRows {
  readonly snapshot: number
  readonly rows: WorldRows
  readonly tables: WorldTables
  /** Their size where they are stored. */
  readonly bytes: number
}

export interface Store {
  worlds(): Promise<readonly string[]>
  /**
   * Runs `work` synchronously and stores everything it wrote, or nothing if it throws. Returns a promise if it waits for
   * other work or until the rows are stored, and if it fails: it never throws. The next change does not wait for that.
   * @throws {StoreUnavailable} If the rows could not be stored. Then everything is rejected until rows can be stored again.
   */
  change<T>(world: string, work: (change: Change) => T & Synchronous<T>): T | Promise<T>
  /**
   * Runs `work` synchronously. Returns a promise if it waits for other work or until the rows it read are stored, and if it fails.
   * @param since - How recent the rows must be; now if omitted.
   */
  read<T>(world: string, work: (view: View) => T & Synchronous<T>, since?: Moment): T | Promise<T>
  /** Returns the current moment. Reads since the same moment share one query to the database. */
  moment(): Moment
  /**
   * Like `read`, for long work: changes and other reads of the world wait until it ends. `work` must not start one, which
   * would deadlock.
   */
  readInSlices<T>(world: string, work: (view: View) => Promise<T>): Promise<T>
  /**
   * Replaces all rows of a world, or creates it. The rows are not copied. Throws, and changes nothing, if two rows of a table
   * have the same key.
   * @param since - The version of the world that the rows are from: API keys revoked later are revoked in the rows too.
   * @param stored - Of the snapshot that most of the rows are from.
   */
  load(world: string, rows: WorldRows, since?: number, stored?: StoredRows): Promise<void>
  dump(world: string): Promise<WorldRows>
  /** Returns the version of a world as in `onCommit`, as far as this process knows; 0 if it does not exist. */
  version(world: string): number
  /** Returns the memory that a world's rows take, bytes; a running sum. 0 if it does not exist. */
  bytes(world: string): number
  inboxBytes(world: string): number
  drop(world: string): Promise<void>
  /**
   * Calls `listener` after each change, when its rows are stored and before `change` resolves, in the order of commits; not
   * for `load` and `drop`. `version` counts the changes of the world: it is the same in all processes and rises until the
   * world is dropped or the store reopened. Returns a function that removes the listener.
   */
  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void
  readonly unavailable: StoreUnavailable | undefined
  /** Calls `listener` when the store is available again. Returns a function that removes it. */
  onRecovered(listener: () => void): () => void
  /** Rejects new work, waits for running work and writes what is pending. */
  close(): Promise<void>
}

/** When API keys were revoked, on the world's clock, by username. */
export type Revoked = ReadonlyMap<string, number>

export function revokedIn(written: readonly RowChange[]): Revoked {
  const revoked = new Map<string, number>()
  for (const { table, row } of written) {
    if (table !== 'apiKeys' || !row) continue
    const { username, revoked_at } = row as NonNullable<WorldRows['apiKeys']>[number]
    if (revoked_at !== null) revoked.set(username, revoked_at)
  }
  return revoked
}

/** Returns the keys of these rows that are not yet revoked but should be, with their `revoked_at`. */
export const stillValid = (
  { apiKeys = [] }: WorldRows,
  revoked: Revoked,
): NonNullable<WorldRows['apiKeys']> =>
  apiKeys.flatMap((key) => {
    const revoked_at = revoked.get(key.username)
    return key.revoked_at === null && revoked_at !== undefined ? [{ ...key, revoked_at }] : []
  })

export function withRevoked(rows: WorldRows, revoked: Revoked): WorldRows {
  const changed = new Map(stillValid(rows, revoked).map((key) => [key.username, key]))
  if (changed.size === 0) return rows
  return { ...rows, apiKeys: rows.apiKeys!.map((key) => changed.get(key.username) ?? key) }
}

/** Maximum number of revoked keys remembered per world; the oldest is dropped first. */
const MOST_REMEMBERED = 10_000

/** The keys revoked in each world, each with the version of the world that revoked it. */
export class RevokedKeys {
  readonly #worlds = new Map<string, Map<string, { readonly at: number; readonly version: number }>>()

  note(world: string, written: readonly RowChange[], version: number): void {
    if (!written.some(({ table }) => table === 'apiKeys')) return
    for (const [username, at] of revokedIn(written)) {
      const known = this.#worlds.get(world) ?? new Map<string, { at: number; version: number }>()
      this.#worlds.set(world, known)
      known.delete(username)
      known.set(username, { at, version })
      if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!)
    }
  }

  since(world: string, version: number): Revoked {
    const known = [...(this.#worlds.get(world) ?? [])].filter(([, revoked]) => revoked.version > version)
    return new Map(known.map(([username, { at }]) => [username, at]))
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
}
