import { addRows, WorldTables } from '../../store/world.ts'
import { WorldChange } from '../../store/change.ts'
import type { RowChange, WorldRows } from '../../store/store.ts'

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
export interface Told {
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
  apply(entry: Entry): Told {
    if (entry.version !== this.version + 1)
      throw new Error(`after version ${this.version} comes no ${entry.version}`)
    this.version = this.coming = entry.version
    const told = toldBy(entry)
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
export function toldBy({ version, writes, time }: Entry): Told {
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
