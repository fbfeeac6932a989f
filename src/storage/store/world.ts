import type { TimeSlice } from '../../lib/clock/clock.ts'
import { TableRows, type Tally } from './table-rows.ts'
import { tables, type Key, type Row, type Table, type TableName, type WorldRows } from './tables.ts'

export type AnyRows = TableRows<Row<TableName>>

let generations = 0

/** Larger tables are built when they are loaded, in time slices. */
const FEW = 256
const NONE: readonly never[] = []

/**
 * The rows of one world. Each table is built from its initial rows at first use: thousands of worlds are created from one seed,
 * and an unused one takes hardly any memory.
 */
export class WorldTables {
  /** Distinguishes these rows from earlier ones of the world, whose keys may be the same. */
  readonly generation = ++generations
  /** The rows of tables that are not built yet. */
  readonly #first: WorldRows
  #tables: Map<TableName, AnyRows> | undefined
  readonly #tally: Tally = { bytes: 0 }
  /** Inboxes are counted separately, because anyone can write to them. */
  readonly #inboxes: Tally = { bytes: 0 }
  /** Resolves when all rows are stored, or undefined if they are. */
  safe: Promise<void> | undefined

  /** @throws {Error} If two rows of a table have the same key. */
  constructor(first: WorldRows = {}) {
    this.#first = first
    for (const name in first) this.#tallyOf(name).bytes += checkedBytes(name as TableName, first)
  }

  keep(safe: Promise<void>): void {
    this.safe = safe
    const forget = () => {
      if (this.safe === safe) this.safe = undefined
    }
    safe.then(forget, forget)
  }
  beforeWrite: (() => void) | undefined

  table<Name extends TableName>(name: Name): TableRows<Row<Name>> {
    const made = this.#tables?.get(name) ?? this.#make(name)
    return made as unknown as TableRows<Row<Name>>
  }

  /** Returns a table that must not be written to: all worlds share the empty ones. */
  tableToRead<Name extends TableName>(name: Name): TableRows<Row<Name>> {
    const made = this.#tables?.get(name) ?? (this.#first[name]?.length ? this.#make(name) : emptyTable(name))
    return made as unknown as TableRows<Row<Name>>
  }

  #make(name: TableName): AnyRows {
    this.#tables ??= new Map()
    const rows: AnyRows = new TableRows(definition(name), this.#tables.size, this.#tallyOf(name))
    this.#tables.set(name, rows)
    if (this.#first[name]?.length) this.#tallyOf(name).bytes -= checkedBytes(name, this.#first)
    for (const row of this.#first[name] ?? NONE) rows.set(rows.nextSlot, row)
    return rows
  }

  /** The memory that the rows take, including the running change. */
  get bytes(): number {
    return this.#tally.bytes + this.#inboxes.bytes
  }

  get inboxBytes(): number {
    return this.#inboxes.bytes
  }

  /** The number of rows. */
  get count(): number {
    let count = 0
    for (const [name, list] of Object.entries(this.#first))
      if (!this.#tables?.has(name as TableName)) count += list.length
    for (const table of this.#tables?.values() ?? []) count += table.size
    return count
  }

  #tallyOf(name: string): Tally {
    return name === 'inbox' ? this.#inboxes : this.#tally
  }

  rows(): WorldRows {
    const result: Partial<Record<TableName, readonly Row<TableName>[]>> = {}
    const names = [...Object.keys(this.#first), ...(this.#tables?.keys() ?? [])] as TableName[]
    for (const name of new Set(names)) {
      const rows = this.#tables?.get(name)?.all() ?? this.#first[name] ?? NONE
      if (rows.length > 0) result[name] = rows
    }
    return result as WorldRows
  }

  /** Returns a function for the rows as of now, copied when it is called or before the next write. One at a time. */
  rowsOfNow(): () => WorldRows {
    let rows: WorldRows | undefined
    const copy = () => {
      this.beforeWrite = undefined
      return (rows ??= this.rows())
    }
    this.beforeWrite = copy
    return () => rows ?? copy()
  }
}

/** Like `worldOf`, in time slices. */
export async function worldInSlices(rows: WorldRows, slice: TimeSlice): Promise<WorldTables> {
  const { world, left } = begun(rows)
  for (const name of left)
    for (const row of rows[name]!) {
      if (slice.over) await slice.next()
      add(name, world.table<TableName>(name), row)
    }
  return world
}

export function worldOf(rows: WorldRows): WorldTables {
  const { world, left } = begun(rows)
  for (const name of left) for (const row of rows[name]!) add(name, world.table<TableName>(name), row)
  return world
}

function begun(rows: WorldRows): { readonly world: WorldTables; readonly left: readonly TableName[] } {
  const names = Object.keys(rows) as TableName[]
  const left = names.filter((name) => rows[name]!.length > FEW)
  if (left.length === 0) return { world: new WorldTables(rows), left }
  // The others are listed too, to keep the order of the tables.
  const few = names.map((name) => [name, left.includes(name) ? NONE : rows[name]])
  return { world: new WorldTables(Object.fromEntries(few) as WorldRows), left }
}

export function addRows(world: WorldTables, rows: WorldRows): void {
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][])
    for (const row of list) add(name, world.table<TableName>(name), row)
}

export function bytesOf(rows: WorldRows): number {
  let bytes = 0
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][]) {
    const table = definition(name)
    for (const row of list) bytes += table.bytes(row)
  }
  return bytes
}

function definition(name: TableName): Table<Row<TableName>, string, string> {
  if (!Object.hasOwn(tables, name)) throw new Error(`There is no table "${name}"`)
  return tables[name] as unknown as Table<Row<TableName>, string, string>
}

const empty = new Map<TableName, AnyRows>()

function emptyTable(name: TableName): AnyRows {
  let table = empty.get(name)
  if (!table) empty.set(name, (table = new TableRows(definition(name))))
  return table
}

const REMEMBERED = 4
/** The bytes of lists without duplicate keys: all worlds share the lists of the seed. */
const checked = new WeakMap<readonly object[], number>()

/** Returns the bytes of a table's rows. @throws {Error} If two of them have the same key. */
function checkedBytes(name: TableName, rows: WorldRows): number {
  const list: readonly Row<TableName>[] = rows[name] ?? NONE
  const known = checked.get(list)
  if (known !== undefined) return known
  const table = definition(name)
  const keys = new Set<Key>()
  let bytes = 0
  for (const row of list) {
    const key = table.key(row)
    if (keys.has(key)) throw twice(name, key)
    keys.add(key)
    bytes += table.bytes(row)
  }
  if (list.length > REMEMBERED) checked.set(list, bytes)
  return bytes
}

function add(name: TableName, table: AnyRows, row: Row<TableName>): void {
  const key = table.keyOf(row)
  if (table.slotOf(key) !== undefined) throw twice(name, key)
  table.set(table.nextSlot, row)
}

const twice = (name: TableName, key: Key) =>
  new Error(`${name}: the key ${JSON.stringify(key)} is there twice`)
