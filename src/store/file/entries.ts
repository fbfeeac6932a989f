import type { WorldRows, Written } from '../store.ts'
import type { Key, Row, TableName } from '../tables.ts'
import { worldOf, World } from '../world.ts'

export type Worlds = Map<string, World>

/** What a file says of one world: rows written or deleted (a key without a row), all rows anew, or its end. */
export type Entry =
  | { readonly world: string; readonly writes: readonly Write[] }
  | { readonly world: string; readonly load: WorldRows }
  | { readonly world: string; readonly drop: true }

export type Write =
  | { readonly table: TableName; readonly row: Row<TableName> }
  | { readonly table: TableName; readonly key: Key }

/** Rows in one entry of the whole: few enough to keep an entry short, enough to make entries few. */
const ROWS_AN_ENTRY = 100

export function entryOf(world: string, written: readonly Written[]): Entry {
  return { world, writes: written.map(({ table, key, row }) => (row ? { table, row } : { table, key })) }
}

/** Does to the worlds what the entry says. Throws on an entry that makes no sense. */
export function apply(entry: Entry, worlds: Worlds): void {
  if (typeof entry?.world !== 'string') throw new Error('an entry must name its world')
  if ('drop' in entry) worlds.delete(entry.world)
  else if ('load' in entry) worlds.set(entry.world, worldOf(entry.load))
  else if ('writes' in entry)
    for (const write of entry.writes) applyWrite(write, worldIn(worlds, entry.world))
  else throw new Error('an entry must have "writes", "load" or "drop"')
}

function applyWrite(write: Write, world: World): void {
  const rows = world.table<TableName>(write.table)
  const row = 'row' in write ? write.row : undefined
  const key = 'row' in write ? rows.keyOf(write.row) : write.key
  if (key === undefined) throw new Error(`${write.table}: a write must have a row or a key`)
  rows.set(rows.slotOf(key) ?? rows.nextSlot, row)
  rows.tidy()
}

function worldIn(worlds: Worlds, name: string): World {
  let world = worlds.get(name)
  if (!world) worlds.set(name, (world = new World()))
  return world
}

/** Entries that make these worlds from nothing. */
export function* entriesOf(worlds: ReadonlyMap<string, WorldRows>): Generator<Entry> {
  for (const [world, rows] of worlds) {
    yield { world, load: {} }
    for (const [table, list] of Object.entries(rows) as [TableName, readonly Row<TableName>[]][]) {
      for (let from = 0; from < list.length; from += ROWS_AN_ENTRY) {
        yield { world, writes: list.slice(from, from + ROWS_AN_ENTRY).map((row) => ({ table, row })) }
      }
    }
  }
}
