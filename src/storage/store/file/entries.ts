import type { WorldRows, RowChange } from '../store.ts'
import type { Key, Row, TableName } from '../tables.ts'
import { addRows, worldOf, WorldTables } from '../world.ts'

export type Worlds = Map<string, WorldTables>

/** Some of the rows that are to replace a world's. */
interface Part {
  readonly world: string
  readonly part: number
  readonly rows: WorldRows
}

/**
 * What a file says of one world: rows written or deleted (a key without a row), all rows anew, or its end. Many rows come
 * in parts, numbered from 0, which count for nothing until a load says how many there were.
 */
export type Entry =
  | { readonly world: string; readonly writes: readonly Write[] }
  | Part
  | { readonly world: string; readonly load: WorldRows; readonly parts?: number }
  | { readonly world: string; readonly drop: true }

export type Write =
  | { readonly table: TableName; readonly row: Row<TableName> }
  | { readonly table: TableName; readonly key: Key }

/** Rows in one entry of many: few enough to keep an entry short, enough to make entries few. */
export const ROWS_AN_ENTRY = 100

export function entryOf(world: string, written: readonly RowChange[]): Entry {
  return { world, writes: written.map(({ table, key, row }) => (row ? { table, row } : { table, key })) }
}

/** Does to the worlds what the entry says. Throws on an entry that makes no sense. */
export function apply(entry: Entry, worlds: Worlds): void {
  if (typeof entry?.world !== 'string') throw new Error('an entry must name its world')
  if ('drop' in entry) worlds.delete(entry.world)
  else if ('part' in entry) applyPart(entry, worlds)
  else if ('load' in entry)
    worlds.set(entry.world, entry.parts ? joined(entry.world, entry.parts, worlds) : worldOf(entry.load))
  else if ('writes' in entry)
    for (const write of entry.writes) applyWrite(write, worldIn(worlds, entry.world))
  else throw new Error('an entry must have "writes", "load" or "drop"')
}

/** Worlds whose parts were read and whose load was not, by name. */
const unfinished = new WeakMap<Worlds, Map<string, { readonly world: WorldTables; parts: number }>>()

function applyPart({ world: name, part, rows }: Part, worlds: Worlds): void {
  let begun = unfinished.get(worlds)
  if (!begun) unfinished.set(worlds, (begun = new Map()))
  // One that was begun before was broken off.
  if (part === 0) begun.set(name, { world: new WorldTables(), parts: 0 })
  const known = begun.get(name)
  if (known?.parts !== part) throw new Error(`part ${part} must come after part ${part - 1}`)
  addRows(known.world, rows)
  known.parts += 1
}

function joined(name: string, parts: number, worlds: Worlds): WorldTables {
  const begun = unfinished.get(worlds)?.get(name)
  if (begun?.parts !== parts) throw new Error(`a load of ${parts} parts must come after them`)
  unfinished.get(worlds)?.delete(name)
  return begun.world
}

export const countOf = (rows: WorldRows) => Object.values(rows).reduce((sum, list) => sum + list.length, 0)

/** The rows in parts that are short. */
export function* partsOf(rows: WorldRows): Generator<WorldRows> {
  for (const [table, list] of Object.entries(rows))
    for (let from = 0; from < list.length; from += ROWS_AN_ENTRY)
      yield { [table]: list.slice(from, from + ROWS_AN_ENTRY) }
}

function applyWrite(write: Write, world: WorldTables): void {
  const rows = world.table<TableName>(write.table)
  const row = 'row' in write ? write.row : undefined
  const key = 'row' in write ? rows.keyOf(write.row) : write.key
  if (key === undefined) throw new Error(`${write.table}: a write must have a row or a key`)
  rows.set(rows.slotOf(key) ?? rows.nextSlot, row)
  rows.tidy()
}

function worldIn(worlds: Worlds, name: string): WorldTables {
  let world = worlds.get(name)
  if (!world) worlds.set(name, (world = new WorldTables()))
  return world
}

/** Entries that make these worlds from nothing. */
export function* entriesOf(worlds: ReadonlyMap<string, () => WorldRows>): Generator<Entry> {
  for (const [world, rows] of worlds) {
    yield { world, load: {} }
    for (const [table, list] of Object.entries(rows()) as [TableName, readonly Row<TableName>[]][]) {
      for (let from = 0; from < list.length; from += ROWS_AN_ENTRY) {
        yield { world, writes: list.slice(from, from + ROWS_AN_ENTRY).map((row) => ({ table, row })) }
      }
    }
  }
}
