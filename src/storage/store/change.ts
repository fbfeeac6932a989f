import type { Added, Change, Mark, View, RowChange } from './store.ts'
import type { TableRows } from './table-rows.ts'
import type { CountName, Key, LookupName, OrderName, Row, TableName } from './tables.ts'
import type { AnyRows, WorldTables } from './world.ts'

/** A read-only view of a world that is valid until `end`. */
export class WorldView implements View {
  protected readonly world: WorldTables
  #ended = false

  constructor(world: WorldTables) {
    this.world = world
  }

  /** Rejects every call from now on. */
  end(): void {
    this.#ended = true
  }

  get generation(): number {
    return this.world.generation
  }

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

  get<Name extends TableName>(table: Name, key: Key) {
    return this.rows(table).get(key)
  }

  newest<Name extends TableName>(
    table: Name,
    lookup: LookupName<Name>,
    value: Key,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ) {
    return this.rows(table).newest(lookup, value, offset, limit)
  }

  find<Name extends TableName>(table: Name, lookup: LookupName<Name>, value: Key) {
    return this.rows(table).find(lookup, value)
  }

  count<Name extends TableName>(table: Name, of: OrderName<Name> | CountName<Name>, group: Key) {
    return this.rows(table).count(of, group)
  }

  walk<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    page: { readonly offset: number; readonly limit: number; readonly newestFirst?: boolean },
  ) {
    return this.rows(table).walk(order, group, page.offset, page.limit, page.newestFirst ?? false)
  }

  rank<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    { by, key = -Infinity }: { readonly by: number; readonly key?: Key },
  ) {
    return this.rows(table).rank(order, group, by, key)
  }

  below<Name extends TableName>(
    table: Name,
    { before, limit }: { readonly before: Key; readonly limit: number },
  ) {
    return this.rows(table).below(before, limit)
  }

  since<Name extends TableName>(table: Name, mark?: Mark): Added<Row<Name>> {
    const rows = this.rows(table)
    const { revision, nextSlot: slots } = rows
    const anew = mark?.of !== rows || mark.revision !== revision
    return { rows: rows.from(anew ? 0 : mark.slots), anew, mark: { of: rows, revision, slots } }
  }

  all<Name extends TableName>(table: Name) {
    return this.rows(table).all()
  }
}

/** Writes immediately and remembers the previous rows for `undo`. */
export class WorldChange extends WorldView implements Change {
  readonly #touches: Touch[] = []
  /** The touched slots as a set, once there are many: `slot * MOST_TABLES + table number`. */
  #slots: Set<number> | undefined

  insert<Name extends TableName>(table: Name, row: Row<Name>) {
    const rows = this.#own(table)
    const key = rows.keyOf(row)
    if (rows.slotOf(key) !== undefined) {
      throw new Error(`${table}: a row with the key ${JSON.stringify(key)} already exists`)
    }
    this.#set(table, rows, rows.nextSlot, row)
  }

  put<Name extends TableName>(table: Name, row: Row<Name>) {
    const rows = this.#own(table)
    this.#set(table, rows, rows.slotOf(rows.keyOf(row)) ?? rows.nextSlot, row)
  }

  increment(counter: string, start: number) {
    const rows = this.#own('counters')
    const slot = rows.slotOf(counter)
    const value = (slot === undefined ? start : rows.at(slot)!.value) + 1
    this.#set('counters', rows, slot ?? rows.nextSlot, { name: counter, value })
    return value
  }

  delete<Name extends TableName>(table: Name, key: Key) {
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

/** The previous row of a slot. */
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
