import { requireScenarios } from '../../control/snapshots.ts'
import { requireSettings } from '../../control/worlds.ts'
import { WorldExport } from '../../generated/control/schemas.ts'
import { validationError } from '../../http/errors.ts'
import { requireShallow } from '../../http/read-body.ts'
import type { ClockState } from '../../lib/clock/clock.ts'
import { isUrl } from '../../lib/text/is-url.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import { reporting } from '../../lib/text/validation-messages.ts'
import { countersOf, type Settings } from '../../service/domain/context.ts'
import { invalid } from '../../service/domain/errors.ts'
import type { JournalEntry } from '../../storage/engine/journal.ts'
import type { Snapshot } from '../../storage/engine/snapshots.ts'
import type { WorldRows } from '../../storage/store/store.ts'
import { exportText, requireRows, rowCheck, withoutLease } from '../../worlds/snapshots.ts'

/** A world as `GET /sandbox/export` gives it, with its name. */
export interface WorldItem {
  readonly format: 'payments-sandbox-world'
  readonly version: 1
  readonly world: string
  /** When, on the world's clock. */
  readonly exported_at: string
  readonly clock: ClockState
  readonly rows: WorldRows
}

/** A snapshot of the world before it. */
export type SnapshotItem = Omit<Snapshot, 'bytes' | 'rows_version'> & {
  readonly format: 'payments-sandbox-snapshot'
  readonly version: 1
  readonly world: string
}

/** The requests on record of the world before it, without their secrets. */
export interface RequestsItem {
  readonly format: 'payments-sandbox-requests'
  readonly version: 1
  readonly world: string
  readonly requests: readonly JournalEntry[]
}

/** One line of a file of worlds. */
export type Item = WorldItem | SnapshotItem | RequestsItem

/** Where worlds are read from. */
export interface WorldSource {
  /** What it is called in messages. */
  readonly name: string
  worlds(): Promise<readonly string[]>
  /** What there is of a world, itself first. @throws NoWorld */
  itemsOf(world: string): AsyncIterable<Item>
  close(): Promise<void>
}

/** Where worlds are written to. */
export interface WorldTarget {
  /** What it is called in messages. */
  readonly name: string
  has(world: string): Promise<boolean>
  /** Puts rows in the place of a world's, or makes it. */
  putWorld(item: WorldItem): Promise<void>
  /** Answers whether such things are kept there. */
  putSnapshot(item: SnapshotItem): Promise<boolean>
  /** Answers whether such things are kept there. */
  putRequests(item: RequestsItem): Promise<boolean>
  close(): Promise<void>
}

/** There is no such world, or it cannot be reached; the message says what to do. */
export class NoWorld extends Error {
  override readonly name = 'NoWorld'
}

const VERSION = 1

/**
 * Reads a line of a file of worlds as strictly as `POST /sandbox/import` reads an export.
 * @param unnamed what a world is called that has no name, as one that the control API exported has not
 * @param defaults the settings that those of a world are laid over
 * @throws ServiceError 400, SyntaxError for what is no JSON
 */
export async function readItem(line: string, unnamed: string | undefined, defaults: Settings): Promise<Item> {
  const value: unknown = JSON.parse(line)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('must be an object, such as an exported world')
  const { world = unnamed, ...fields } = value as { readonly world?: unknown; readonly format?: unknown }
  if (typeof world !== 'string' || !isName(world))
    throw invalid(
      world === undefined
        ? 'says of no world what it is called; say so with --world'
        : `world must be a name, got ${JSON.stringify(world)}`,
    )
  requireVersion(value)
  const read = readers[fields.format as keyof typeof readers] as (typeof readers)[keyof typeof readers]
  return read({ ...fields, world }, defaults)
}

const readers = {
  'payments-sandbox-world': async ({ world, ...fields }: Named, defaults: Settings): Promise<WorldItem> => {
    const item = { ...exported(fields), world }
    const rows = await soundRows(item.rows, world, defaults)
    return { ...item, rows: { ...rows, counters: countersOf(rows) } }
  },
  'payments-sandbox-snapshot': async (
    { world, ...fields }: Named,
    defaults: Settings,
  ): Promise<SnapshotItem> => {
    const { id, name, at, clock, rows, format, version, ...more } = fields as Partial<SnapshotItem>
    noMore(more)
    if (!Number.isSafeInteger(id) || id! < 1)
      throw invalid(`id must be a whole number from 1, got ${shown(id)}`)
    if (typeof name !== 'string') throw invalid(`name must be text, got ${shown(name)}`)
    if (!Number.isFinite(at)) throw invalid(`at must be milliseconds, got ${shown(at)}`)
    const whole = {
      format: 'payments-sandbox-world',
      version,
      clock,
      rows,
      exported_at: '1970-01-01T00:00:00Z',
    }
    const read = exported(whole)
    const sound = await soundRows(read.rows, world, defaults)
    return {
      format: format!,
      version: VERSION,
      world,
      id: id!,
      name,
      at: at!,
      clock: read.clock,
      rows: sound,
    }
  },
  'payments-sandbox-requests': async ({ world, ...fields }: Named): Promise<RequestsItem> => {
    const { format, version: _, requests, ...more } = fields as Partial<RequestsItem>
    noMore(more)
    if (!Array.isArray(requests) || requests.length === 0)
      throw invalid('requests must be a list of requests')
    let before = 0
    for (const [n, entry] of requests.entries()) {
      const number = Number(/^req_(\d{1,15})$/.exec((entry as { id?: string } | null)?.id ?? '')?.[1])
      if (!(number > before))
        throw invalid(`requests[${n}].id must be an id such as req_${before + 1}, in order`)
      requireEntry(entry, n)
      before = number
    }
    return { format: format!, version: VERSION, world, requests }
  },
}

type Named = { readonly world: string; readonly [field: string]: unknown }

function requireVersion({
  format,
  version,
}: {
  readonly format?: unknown
  readonly version?: unknown
}): void {
  const known = Object.keys(readers)
  if (typeof format !== 'string' || !known.includes(format))
    throw invalid(
      `has the format ${shown(format)}; accepted: ${known.join(', ')}${didYouMean(String(format), known)}`,
    )
  if (version === VERSION) return
  throw invalid(
    `has version ${shown(version)} of ${format}; this release reads version ${VERSION}: import it with the release that wrote it, or a newer one`,
  )
}

/** An export, whose rows are yet to be looked at. @throws ServiceError 400 */
function exported(fields: object) {
  const { rows } = fields as { readonly rows?: unknown }
  const isObject = typeof rows === 'object' && rows !== null && !Array.isArray(rows)
  // The schema looks at the rows no further than that they are lists of objects.
  const around = isObject
    ? Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, Array.isArray(list) ? [] : list]))
    : rows
  const { data, error } = WorldExport().safeParse({ ...fields, rows: around }, reporting)
  if (error) throw validationError(error)
  return {
    ...(data as Omit<WorldItem, 'world' | 'rows'>),
    rows: rows as { readonly [table: string]: readonly unknown[] },
  }
}

async function soundRows(
  tables: { readonly [table: string]: readonly unknown[] },
  world: string,
  defaults: Settings,
): Promise<WorldRows> {
  for (const [table, list] of Object.entries(tables)) {
    const check = rowCheck(table)
    for (const [n, row] of list.entries()) {
      if (typeof row !== 'object' || row === null || Array.isArray(row))
        throw invalid(`rows.${table}[${n}] must be an object, got ${shown(row)}`)
      requireShallow(row)
      check(row, n)
    }
  }
  const rows = withoutLease(tables as WorldRows)
  requireSettings(rows, defaults)
  await requireRows(world, rows)
  await requireScenarios(rows)
  return rows
}

const texts = ['method', 'url', 'operation', 'username', 'body', 'sent'] as const
const numbers = ['at', 'body_length', 'status', 'duration_ms'] as const

function requireEntry(entry: { readonly [field: string]: unknown }, n: number): void {
  const wrong =
    texts.find((name) => typeof entry[name] !== 'string') ??
    numbers.find((name) => !Number.isFinite(entry[name])) ??
    (isTexts(entry['headers']) ? undefined : 'headers')
  if (wrong)
    throw invalid(`requests[${n}].${wrong} is not what a request on record has, got ${shown(entry[wrong])}`)
  if (!isUrl(entry['url'] as string)) throw invalid(`requests[${n}].url must be an address`)
  requireShallow(entry)
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')

function noMore(fields: object): void {
  const [name] = Object.keys(fields)
  if (name !== undefined) throw invalid(`${name} is no field of it`)
}

/** As API usernames are, with what a disposable world has behind a plus. */
const isName = (text: string) => /^\P{Cc}{1,300}$/u.test(text)

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100))

/** The JSON of an item in one line, in pieces: rows one by one. */
export function* lineOf(item: Item): Generator<string> {
  if (item.format === 'payments-sandbox-requests') yield JSON.stringify(item)
  else {
    const { rows, ...about } = item
    yield* exportText(about, rows)
  }
  yield '\n'
}
