import { crc32 } from 'node:zlib'
import { open, truncate } from 'node:fs/promises'
import type { RowChange, WorldRows } from '../change.ts'
import type { Key, Row, TableName } from '../tables.ts'
import { addRows, worldOf, WorldTables } from '../world.ts'

export type Worlds = Map<string, WorldTables>

type Write =
  | { readonly table: TableName; readonly row: Row<TableName> }
  | { readonly table: TableName; readonly key: Key }

/**
 * One entry of a file: rows of a world that were written or deleted (a key without a row), all its rows, or its removal. A
 * large load is split into parts numbered from 0, which take effect with the `load` that gives their number. `base` ends the
 * rows that the file begins with; later entries change them.
 */
export type Entry =
  | { readonly world: string; readonly writes: readonly Write[] }
  | { readonly world: string; readonly part: number; readonly rows: WorldRows }
  | { readonly world: string; readonly load: WorldRows; readonly parts?: number }
  | { readonly world: string; readonly drop: true }
  | { readonly base: true }

/** Maximum number of rows per entry when many are written. */
export const ROWS_PER_ENTRY = 100

export function entryOf(world: string, written: readonly RowChange[]): Entry {
  return { world, writes: written.map(({ table, key, row }) => (row ? { table, row } : { table, key })) }
}

export const countOf = (rows: WorldRows) => Object.values(rows).reduce((sum, list) => sum + list.length, 0)

export function* partsOf(rows: WorldRows): Generator<WorldRows> {
  for (const [table, list] of Object.entries(rows))
    for (let from = 0; from < list.length; from += ROWS_PER_ENTRY)
      yield { [table]: list.slice(from, from + ROWS_PER_ENTRY) }
}

/** Yields the entries of a new file. */
export function* entriesOf(worlds: ReadonlyMap<string, () => WorldRows>): Generator<Entry> {
  for (const [world, rows] of worlds) {
    yield { world, load: {} }
    for (const part of partsOf(rows()))
      for (const [table, list] of Object.entries(part) as [TableName, readonly Row<TableName>[]][])
        yield { world, writes: list.map((row) => ({ table, row })) }
  }
  yield { base: true }
}

/** Parts that were read before their `load`, by world. */
const unfinished = new WeakMap<Worlds, Map<string, { readonly world: WorldTables; parts: number }>>()

function apply(entry: Exclude<Entry, { base: true }>, worlds: Worlds): void {
  const name = entry?.world
  if (typeof name !== 'string') throw new Error('an entry must name its world')
  if ('drop' in entry) worlds.delete(name)
  else if ('part' in entry) {
    const { part, rows } = entry
    let begun = unfinished.get(worlds)
    if (!begun) unfinished.set(worlds, (begun = new Map()))
    // An earlier load that was broken off is discarded.
    if (part === 0) begun.set(name, { world: new WorldTables(), parts: 0 })
    const known = begun.get(name)
    if (known?.parts !== part) throw new Error(`part ${part} must come after part ${part - 1}`)
    addRows(known.world, rows)
    known.parts += 1
  } else if ('load' in entry) {
    const begun = entry.parts ? unfinished.get(worlds)?.get(name) : undefined
    if (entry.parts && begun?.parts !== entry.parts)
      throw new Error(`a load of ${entry.parts} parts must come after them`)
    unfinished.get(worlds)?.delete(name)
    worlds.set(name, begun?.world ?? worldOf(entry.load))
  } else if ('writes' in entry) {
    const world = worlds.get(name) ?? new WorldTables()
    worlds.set(name, world)
    for (const write of entry.writes) applyWrite(write, world)
  } else throw new Error('an entry must have "writes", "load" or "drop"')
}

function applyWrite(write: Write, world: WorldTables): void {
  const rows = world.table<TableName>(write.table)
  const row = 'row' in write ? write.row : undefined
  const key = 'row' in write ? rows.keyOf(write.row) : write.key
  if (key === undefined) throw new Error(`${write.table}: a write must have a row or a key`)
  rows.set(rows.slotOf(key) ?? rows.nextSlot, row)
  rows.tidy()
}

const SEALED = /^\{"crc":"([0-9a-f]{8})",/
/** Characters before the fields of a sealed line. */
export const PREFIX = '{"crc":"00000000",'.length

/**
 * The checksums of a file's lines: each line is a JSON object that begins with its checksum. A checksum covers all lines
 * before it too, so that a missing, repeated or moved line is detected.
 */
export class Checksums {
  #last = 0

  seal(json: string): string {
    const rest = json.slice(1)
    this.#last = crc32(rest, this.#last)
    return `{"crc":"${hex(this.#last)}",${rest}`
  }

  /** Returns why the next line is invalid, or undefined. */
  errorOf(line: string): string | undefined {
    const named = SEALED.exec(line)?.[1]
    if (named === undefined) return 'it must begin with a checksum'
    this.#last = crc32(line.slice(PREFIX), this.#last)
    const found = hex(this.#last)
    return found === named ? undefined : `its checksum is ${named}, its content has ${found}`
  }
}

const hex = (sum: number) => sum.toString(16).padStart(8, '0')

const NEWLINE = 10

export interface Line {
  readonly text: string
  readonly number: number
  readonly start: number
  /** False for a last line without a newline: its write was interrupted. */
  readonly complete: boolean
}

/** Yields the lines of a file from one position to another; none of a missing file. */
export async function* linesOf(path: string, start = 0, end = Infinity): AsyncGenerator<Line> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file || start >= end) return await file?.close()
  const range = { start, ...(end < Infinity && { end: end - 1 }) }
  yield* linesIn(file.createReadStream({ highWaterMark: 1 << 20, ...range }) as AsyncIterable<Buffer>)
}

export async function* linesIn(pieces: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let number = 0
  let start = 0
  const line = (complete: boolean): Line => {
    const bytes = Buffer.concat(parts)
    parts = []
    number += 1
    const found = { text: bytes.toString('utf8'), number, start, complete }
    start += bytes.length + 1
    return found
  }
  for await (const chunk of pieces) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at))
      from = at + 1
      yield line(true)
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  if (parts.length > 0) yield line(false)
}

const FORMAT = 'payments-sandbox rows, one entry a line'
const VERSION = 3

/** The first line of each file. */
export const HEADER = JSON.stringify({ format: FORMAT, version: VERSION })

const REMEDY = 'Restore the file from a copy, or move it away to start empty.'

/** The rows cannot be stored in the file. The message contains the reason and the remedy. */
export class UnusableFile extends Error {}

/** An existing file cannot be read as a file of this store. */
export class BrokenFile extends UnusableFile {}

/**
 * Applies the entries of a file, and removes an incomplete last line: the process died while writing it and never
 * acknowledged it.
 * @returns the checksums after the last line, and the size of the rows that the file begins with; undefined without a file
 * @throws {BrokenFile} With the line and the remedy.
 */
export async function readRows(
  path: string,
  worlds: Worlds,
): Promise<{ readonly sums: Checksums; readonly base: number } | undefined> {
  const sums = new Checksums()
  let lines = 0
  let base: number | undefined
  for await (const { text, number, start, complete } of linesOf(path)) {
    const place = `${path} line ${number}`
    // A file begins complete, under another name.
    if (!complete && number > 1) {
      await truncate(path, start)
      break
    }
    const entry = parsed(text, place, base === undefined ? undefined : cutBefore(path, number))
    if (number === 1) requireHeader(entry, path)
    const error = sums.errorOf(text)
    if (error !== undefined)
      throw broken(place, error, base === undefined ? undefined : cutBefore(path, number))
    lines = number
    if (number === 1) continue
    if ('base' in entry) {
      base = start
      continue
    }
    try {
      apply(entry, worlds)
    } catch (error) {
      throw new BrokenFile(`${place}: ${(error as Error).message}. ${REMEDY}`)
    }
  }
  if (lines === 0) return undefined
  if (base === undefined) throw new BrokenFile(`${path} is cut off: it has no entry {"base":true}. ${REMEDY}`)
  return { sums, base }
}

function parsed(text: string, place: string, remedy?: string): Exclude<Entry, null> {
  try {
    return JSON.parse(text) as Entry
  } catch (error) {
    throw broken(place, (error as Error).message, remedy)
  }
}

function requireHeader(found: unknown, path: string): void {
  const { format, version } = (found ?? {}) as { readonly format?: unknown; readonly version?: unknown }
  if (format !== FORMAT) throw new BrokenFile(`${path} line 1 must have the format "${FORMAT}". ${REMEDY}`)
  if (version !== VERSION)
    throw new BrokenFile(
      `${path} has version ${version}; this sandbox reads version ${VERSION}. Start the sandbox that wrote it, or move the file away to start empty.`,
    )
}

const broken = (place: string, why: string, remedy = '') =>
  new BrokenFile(`${place} is broken: ${why}. ${REMEDY}${remedy}`)

const cutBefore = (path: string, line: number) =>
  ` To continue without this line and all after it, keep only the lines before it: head -n ${line - 1} ${path}.`
