import type { WorldRows } from './store.ts'
import { TableRows } from './table-rows.ts'
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

/** The rows of one world; a table is made when it is first asked for. */
export class World {
  readonly #tables = new Map<TableName, AnyRows>()
  /** What the change that is running has done so far. */
  open: readonly Touch[] = []

  table<Name extends TableName>(name: Name): TableRows<Row<Name>> {
    let rows = this.#tables.get(name) as unknown as TableRows<Row<Name>> | undefined
    if (!rows) {
      if (!Object.hasOwn(tables, name)) throw new Error(`There is no table "${name}"`)
      rows = new TableRows(tables[name] as unknown as Table<Row<Name>, string, string>, this.#tables.size)
      this.#tables.set(name, rows as unknown as AnyRows)
    }
    return rows
  }

  /** Every row as the last change that ended left it, whatever the one that is running has done. */
  rows(): WorldRows {
    const result: Partial<Record<TableName, Row<TableName>[]>> = {}
    for (const name of this.#tables.keys()) {
      const before = new Map<number, Row<TableName> | undefined>()
      for (const touch of this.open) if (touch.name === name) before.set(touch.slot, touch.before)
      const rows = this.table<TableName>(name).all(before)
      if (rows.length > 0) result[name] = rows
    }
    return result as WorldRows
  }
}

/** A world of these rows. Throws when two rows of a table have one key. */
export function worldOf(rows: WorldRows): World {
  const world = new World()
  for (const [name, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][]) {
    const table = world.table<TableName>(name)
    for (const row of list) {
      const key = table.keyOf(row)
      if (table.slotOf(key) !== undefined)
        throw new Error(`${name}: the key ${JSON.stringify(key)} is there twice`)
      table.set(table.nextSlot, row)
    }
  }
  return world
}
