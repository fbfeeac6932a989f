import type { TableRows } from './table-rows.ts'
import type { CountName, Key, LookupName, OrderName, Row, SmallTable, TableName } from './tables.ts'
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
    for (const { rows, slot, before } of this.#touches.reverse()) rows.set(slot, before)
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
