import { requireScenarios } from '../../control/snapshots.ts'
import { requireSettings } from '../../control/worlds.ts'
import { WorldExport } from '../../generated/control/schemas.ts'
import { validationError } from '../../http/errors.ts'
import { requireShallow } from '../../http/read-request.ts'
import type { ClockState } from '../../lib/clock/clock.ts'
import { isUrl } from '../../lib/text/is-url.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import { reporting } from '../../lib/text/validation-messages.ts'
import { countersOf, type Settings } from '../../service/domain/context.ts'
import { invalid } from '../../service/domain/errors.ts'
import type { JournalEntry } from '../../storage/engine/journal.ts'
import type { Snapshot } from '../../storage/engine/snapshots.ts'
import type { WorldRows } from '../../storage/store/change.ts'
import { exportText, requireRows, rowCheck, withoutLease } from '../../worlds/snapshots.ts'

/** An export of `GET /sandbox/export` with the name of the world. */
export interface WorldItem {
  readonly format: 'payments-sandbox-world'
  readonly version: 1
  readonly world: string
  /** On the world's clock. */
  readonly exported_at: string
  readonly clock: ClockState
  readonly rows: WorldRows
}

/** A snapshot of the preceding world. */
export type SnapshotItem = Omit<Snapshot, 'bytes' | 'rows_version' | 'count' | 'stored'> & {
  readonly format: 'payments-sandbox-snapshot'
  readonly version: 1
  readonly world: string
}

/** The request log of the preceding world, without secrets. */
export interface RequestsItem {
  readonly format: 'payments-sandbox-requests'
  readonly version: 1
  readonly world: string
  readonly requests: readonly JournalEntry[]
}

/** One line of an export file. */
export type Item = WorldItem | SnapshotItem | RequestsItem

export interface WorldSource {
  /** For messages. */
  readonly name: string
  worlds(): Promise<readonly string[]>
  /** Yields the world, then its snapshots and requests. @throws NoWorld */
  itemsOf(world: string): AsyncIterable<Item>
  close(): Promise<void>
}

export interface WorldTarget {
  /** For messages. */
  readonly name: string
  has(world: string): Promise<boolean>
  /** Creates a world or replaces its rows. */
  putWorld(item: WorldItem): Promise<void>
  /** Resolves to false if the target does not store snapshots. */
  putSnapshot(item: SnapshotItem): Promise<boolean>
  /** Resolves to false if the target does not store requests. */
  putRequests(item: RequestsItem): Promise<boolean>
  close(): Promise<void>
}

/** The world does not exist or cannot be reached. The message contains the remedy. */
export class NoWorld extends Error {
  override readonly name = 'NoWorld'
}

const VERSION = 1

/**
 * Reads a line of an export file with the same checks as `POST /sandbox/import`.
 * @param unnamed - The name for a world without one: exports of the control API contain no name.
 * @param defaults - The settings that those of the world are merged into.
 * @throws ServiceError 400, SyntaxError for invalid JSON
 */
export async function readItem(line: string, unnamed: string | undefined, defaults: Settings): Promise<Item> {
  const value: unknown = JSON.parse(line)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('must be an object, such as an exported world')
  const { world = unnamed, ...fields } = value as { readonly world?: unknown; readonly format?: unknown }
  if (typeof world !== 'string' || !isName(world))
    throw invalid(
      world === undefined
        ? 'contains no world name; pass one with --world'
        : `world must be a name, got ${JSON.stringify(world)}`,
    )
  requireVersion(value)
  const read = readers[fields.format as keyof typeof readers] as (typeof readers)[keyof typeof readers]
  return read({ ...fields, world }, defaults)
}

const readers = {
  'payments-sandbox-world': async ({ world, ...fields }: Named, defaults: Settings): Promise<WorldItem> => {
    const item = { ...exported(fields), world }
    const rows = await checkedRows(item.rows, world, defaults)
    return { ...item, rows: { ...rows, counters: countersOf(rows) } }
  },
  'payments-sandbox-snapshot': async (
    { world, ...fields }: Named,
    defaults: Settings,
  ): Promise<SnapshotItem> => {
    const { id, name, at, clock, rows, format, version, ...more } = fields as Partial<SnapshotItem>
    rejectUnknown(more)
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
    const sound = await checkedRows(read.rows, world, defaults)
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
    rejectUnknown(more)
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

function requireVersion({ format, version }: { format?: unknown; version?: unknown }): void {
  const known = Object.keys(readers)
  if (typeof format !== 'string' || !known.includes(format))
    throw invalid(
      `format must be one of the known formats, got ${shown(format)}; accepted: ${known.join(', ')}${didYouMean(String(format), known)}`,
    )
  if (version === VERSION) return
  throw invalid(
    `version ${shown(version)} of ${format} is not supported; this release reads version ${VERSION}: import it with the release that wrote it, or a newer one`,
  )
}

/** Checks an export except for its rows. @throws ServiceError 400 */
function exported(fields: object) {
  const { rows } = fields as { readonly rows?: unknown }
  const isObject = typeof rows === 'object' && rows !== null && !Array.isArray(rows)
  // The schema only checks that rows are lists, so the lists can be empty here.
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

async function checkedRows(
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
  await requireSettings(rows, defaults)
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
    (isTexts(entry['headers']) ? undefined : 'headers') ??
    (isTexts(Object.values(entry['sent_headers'] ?? {})) ? undefined : 'sent_headers')
  if (wrong)
    throw invalid(`requests[${n}].${wrong} is not valid in a logged request, got ${shown(entry[wrong])}`)
  if (!isUrl(entry['url'] as string)) throw invalid(`requests[${n}].url must be a URL`)
  requireShallow(entry)
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')

function rejectUnknown(fields: object): void {
  const [name] = Object.keys(fields)
  if (name !== undefined) throw invalid(`${name} is not a field of this format`)
}

/** An API username, with the suffix of a disposable world. */
const isName = (text: string) => /^\P{Cc}{1,300}$/u.test(text)

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100))

/** Yields the line of an item, one row at a time. */
export function* lineOf(item: Item): Generator<string> {
  if (item.format === 'payments-sandbox-requests') yield JSON.stringify(item)
  else {
    const { rows, ...about } = item
    yield* exportText(about, rows)
  }
  yield '\n'
}
