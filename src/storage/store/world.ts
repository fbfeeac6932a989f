import type { TimeSlice } from '../../lib/clock/time-slice.ts'
import type { WorldRows } from './store.ts'
import { TableRows, type Tally } from './table-rows.ts'
import { tables, type Key, type Row, type Table, type TableName } from './tables.ts'

/** The rows of one table, whichever it is. */
export type AnyRows = TableRows<Row<TableName>>

/** What a change did to one slot: enough to undo it and to tell of it. */
export interface Touch {
  readonly name: TableName
  readonly rows: AnyRows
  readonly slot: number
  readonly before: Row<TableName> | undefined
}

/** More tables than a world will ever have. */
export const MOST_TABLES = 64

/** Counts the worlds that were made of rows. */
let generations = 0

/** A table of more rows is made when its rows are loaded, in time slices. */
const FEW = 256
const NONE: readonly never[] = []

/**
 * The rows of one world. A table is made when it is first asked for, of the rows it was loaded with: worlds are made by the
 * thousand from one seed, and until somebody comes each costs no more than where its rows are.
 */
export class WorldTables {
  /** Tells these rows from those that stood in their place before, whose keys may be the same. */
  readonly generation = ++generations
  /** The few rows that each table begins with, for as long as it is not made. */
  readonly #first: WorldRows
  #tables: Map<TableName, AnyRows> | undefined
  readonly #tally: Tally = { bytes: 0 }
  /** Strangers may write to inboxes, so that these are counted by themselves. */
  readonly #inboxes: Tally = { bytes: 0 }
  /** Resolves when every row is kept; undefined when all are. */
  safe: Promise<void> | undefined

  /** Throws when two rows of a table have one key. @param first the rows of tables that have few */
  constructor(first: WorldRows = {}) {
    this.#first = first
    for (const name in first) this.#tallyOf(name).bytes += checkedBytes(name as TableName, first)
  }

  /** Takes it that rows are on their way into a file. */
  keep(safe: Promise<void>): void {
    this.safe = safe
    const forget = () => {
      if (this.safe === safe) this.safe = undefined
    }
    safe.then(forget, forget)
  }
  /** To be called before the next write. */
  beforeWrite: (() => void) | undefined

  table<Name extends TableName>(name: Name): TableRows<Row<Name>> {
    const made = this.#tables?.get(name) ?? this.#make(name)
    return made as unknown as TableRows<Row<Name>>
  }

  /** The same for who will not write: of a table that never had a row all worlds have one and the same. */
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

  /** What its rows take, those of the change that is running among them. */
  get bytes(): number {
    return this.#tally.bytes + this.#inboxes.bytes
  }

  /** The part of `bytes` that messages of inboxes take. */
  get inboxBytes(): number {
    return this.#inboxes.bytes
  }

  #tallyOf(name: string): Tally {
    return name === 'inbox' ? this.#inboxes : this.#tally
  }

  /** Every row as of now. */
  rows(): WorldRows {
    const result: Partial<Record<TableName, readonly Row<TableName>[]>> = {}
    const names = [...Object.keys(this.#first), ...(this.#tables?.keys() ?? [])] as TableName[]
    for (const name of new Set(names)) {
      const rows = this.#tables?.get(name)?.all() ?? this.#first[name] ?? NONE
      if (rows.length > 0) result[name] = rows
    }
    return result as WorldRows
  }

  /** The same, copied when it is asked for or before the world is next written to; for one at a time. */
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

/** A world of these rows, made in time slices. Throws when two rows of a table have one key. */
export async function worldInSlices(rows: WorldRows, slice: TimeSlice): Promise<WorldTables> {
  const { world, left } = begun(rows)
  for (const name of left)
    for (const row of rows[name]!) {
      if (slice.over) await slice.next()
      add(name, world.table<TableName>(name), row)
    }
  return world
}

/** A world of these rows. Throws when two rows of a table have one key. */
export function worldOf(rows: WorldRows): WorldTables {
  const { world, left } = begun(rows)
  for (const name of left) for (const row of rows[name]!) add(name, world.table<TableName>(name), row)
  return world
}

/** A world with the tables of few rows, and the names of those that have more. */
function begun(rows: WorldRows): { readonly world: WorldTables; readonly left: readonly TableName[] } {
  const names = Object.keys(rows) as TableName[]
  const left = names.filter((name) => rows[name]!.length > FEW)
  if (left.length === 0) return { world: new WorldTables(rows), left }
  // All are named, so that the tables stay in order.
  const few = names.map((name) => [name, left.includes(name) ? NONE : rows[name]])
  return { world: new WorldTables(Object.fromEntries(few) as WorldRows), left }
}

/** Adds rows to a world. Throws when two rows of a table have one key. */
export function addRows(world: WorldTables, rows: WorldRows): void {
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][])
    for (const row of list) add(name, world.table<TableName>(name), row)
}

/** What rows would take as a world. */
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

/** A list of fewer rows is looked through again sooner than remembered. */
const REMEMBERED = 4
/** What lists of rows take whose keys are known to differ: those of the seed are the same in every world. */
const checked = new WeakMap<readonly object[], number>()

/** What the rows of a table take. Throws when two of them have one key. */
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
