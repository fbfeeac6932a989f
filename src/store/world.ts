import type { TimeSlice } from '../clock/time-slice.ts'
import type { WorldRows } from './store.ts'
import { TableRows, type Tally } from './table-rows.ts'
import { tables, type Row, type Table, type TableName } from './tables.ts'

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

/** The rows of one world; a table is made when it is first asked for. */
export class World {
  /** Tells these rows from those that stood in their place before, whose keys may be the same. */
  readonly generation = ++generations
  readonly #tables = new Map<TableName, AnyRows>()
  readonly #tally: Tally = { bytes: 0 }
  /** Resolves when every row is kept; undefined when all are. */
  safe: Promise<void> | undefined

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
    let rows = this.#tables.get(name) as unknown as TableRows<Row<Name>> | undefined
    if (!rows) {
      if (!Object.hasOwn(tables, name)) throw new Error(`There is no table "${name}"`)
      rows = new TableRows(
        tables[name] as unknown as Table<Row<Name>, string, string>,
        this.#tables.size,
        this.#tally,
      )
      this.#tables.set(name, rows as unknown as AnyRows)
    }
    return rows
  }

  /** What its rows take, those of the change that is running among them. */
  get bytes(): number {
    return this.#tally.bytes
  }

  /** Every row as of now. */
  rows(): WorldRows {
    const result: Partial<Record<TableName, Row<TableName>[]>> = {}
    for (const name of this.#tables.keys()) {
      const rows = this.table<TableName>(name).all()
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
export async function worldInSlices(rows: WorldRows, slice: TimeSlice): Promise<World> {
  const world = new World()
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][]) {
    const table = world.table<TableName>(name)
    for (const row of list) {
      if (slice.over) await slice.next()
      add(name, table, row)
    }
  }
  return world
}

/** What rows would take as a world. */
export function bytesOf(rows: WorldRows): number {
  let bytes = 0
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][]) {
    const table = tables[name] as unknown as Table<Row<TableName>, string, string>
    for (const row of list) bytes += table.bytes(row)
  }
  return bytes
}

/** A world of these rows. Throws when two rows of a table have one key. */
export function worldOf(rows: WorldRows): World {
  const world = new World()
  addRows(world, rows)
  return world
}

/** Adds rows to a world. Throws when two rows of a table have one key. */
export function addRows(world: World, rows: WorldRows): void {
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][]) {
    const table = world.table<TableName>(name)
    for (const row of list) add(name, table, row)
  }
}

function add(name: TableName, table: AnyRows, row: Row<TableName>): void {
  const key = table.keyOf(row)
  if (table.slotOf(key) !== undefined)
    throw new Error(`${name}: the key ${JSON.stringify(key)} is there twice`)
  table.set(table.nextSlot, row)
}
