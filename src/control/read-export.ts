import { timeSlice } from '../lib/clock/time-slice.ts'
import { invalid, ServiceError } from '../service/domain/errors.ts'
import type { Fields } from '../service/domain/facts.ts'
import type { BodyReader } from '../http/handler.ts'
import { type CutLists, ListCutter } from '../http/list-cutter.ts'
import { requireShallow } from '../http/require-shallow.ts'
import { EMPTY, notJson, requireJson, requireUncompressed } from '../http/read-body.ts'
import { rowCheck } from '../worlds/saved.ts'

/** Characters that are taken apart before it is asked whether others have waited long enough. */
const PIECE = 1 << 16
/** Characters that an export may have around its rows, and that a row may have. */
const MOST = { around: 1 << 20, item: 1 << 23 }

/**
 * Reads an exported world as it comes in, in time slices: rows are parsed and checked one by one, the rest is held against
 * the schema.
 * @throws ServiceError 400, 413
 */
export const readExport: BodyReader = async (pieces, call, check) => {
  const lists = new Map<string, object[]>()
  const cutter = new ListCutter('rows', keepIn(lists, check), MOST)
  const decoder = new TextDecoder()
  const slice = await timeSlice(call.world.name)
  let empty = true
  const take = async (text: string) => {
    for (let from = 0; from < text.length; from += PIECE) {
      if (slice.over) await slice.next()
      const piece = text.slice(from, from + PIECE)
      empty &&= piece.trim() === ''
      refusing(() => cutter.write(piece))
    }
  }
  requireJson(call.header('content-type'))
  for await (const bytes of pieces) {
    requireUncompressed(call.header('content-encoding'))
    for (let from = 0; from < bytes.length; from += PIECE)
      await take(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }))
  }
  await take(decoder.decode())
  if (empty) throw invalid(EMPTY)
  const around = refusing(() => cutter.end())
  if (typeof around === 'object' && around !== null) requireShallow(around)
  const fields = check(withRows(around, () => []))
  return withRows(fields, (name) => lists.get(name)!) as Fields
}

/** The document with other lists in its field `rows`. */
function withRows(around: unknown, listOf: (name: string) => readonly object[]): unknown {
  const rows = (around as { rows?: unknown } | null)?.rows
  if (typeof rows !== 'object' || rows === null || Array.isArray(rows)) return around
  const lists = Object.entries(rows).map(([name, left]) => [name, Array.isArray(left) ? listOf(name) : left])
  return { ...(around as object), rows: Object.fromEntries(lists) }
}

/** Keeps the rows of each table as they come. */
function keepIn(lists: Map<string, object[]>, check: (value: unknown) => Fields): CutLists {
  let name = ''
  let list: object[] = []
  let checkRow: ReturnType<typeof rowCheck> = () => {}
  return {
    list(next) {
      checkRow = rowCheck(next)
      lists.set((name = next), (list = []))
    },
    item(value) {
      // The schema has the words for what is no row.
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        check({ ...NOTHING, rows: { [name]: [...list.map(() => ({})), value] } })
      requireShallow(value as object)
      checkRow(value as object, list.length)
      list.push(value as object)
    },
  }
}

/** An export that is all right, without rows. */
const NOTHING = {
  format: 'payments-sandbox-world',
  version: 1,
  exported_at: '1970-01-01T00:00:00Z',
  clock: { wall_anchor: 0, world_anchor: 0, factor: 1 },
}

function refusing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson(error)
    if (error instanceof RangeError)
      throw new ServiceError(
        'payload_too_large',
        `the request body has too much in one place: ${error.message}`,
      )
    throw error
  }
}
