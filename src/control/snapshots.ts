import * as z from 'zod'
import { handlers, ok } from './page.ts'
import { begunAgain, requireSettings } from './worlds.ts'
import type { Snapshot as SnapshotView } from '../generated/control/schemas.ts'
import type { BodyReader } from '../http/handler.ts'
import {
  EMPTY,
  notJson,
  requireJson,
  requireUncompressed,
  requireShallow,
  withoutNul,
} from '../http/read-request.ts'
import { validationError } from '../http/errors.ts'
import { timeSlice } from '../lib/clock/clock.ts'
import { reporting } from '../lib/text/validation-messages.ts'
import { checkFile } from '../scenarios/file.ts'
import { noState, SCENARIO_STATE, scenarioBytes, type ScenarioState } from '../scenarios/library.ts'
import { invalid, noneLeft, notFound, ServiceError } from '../service/domain/errors.ts'
import type { Fields } from '../service/domain/facts.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { SnapshotHead } from '../storage/engine/snapshots.ts'
import type { WorldRows } from '../storage/store/change.ts'
import { bytesOf } from '../storage/store/world.ts'
import { exportable, exportText, importable, requireRows, restorable, rowCheck } from '../worlds/snapshots.ts'
import { stateIn } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'

export const snapshots = handlers(({ worlds, defaults }) => ({
  async listSnapshots({ world }) {
    return ok({ snapshots: (await world.snapshots.list()).map(snapshotView) })
  },

  async createSnapshot({ world, request }) {
    const at = world.clock.now()
    await world.snapshots.look()
    world.budget.require('snapshot_count', world.snapshots.count, 1)
    world.budget.require('snapshots', world.snapshots.bytes, world.bytes)
    worlds.memory.requireRoom()
    const { name = `at ${wireTime(at)}`, ...rest } = request.body
    noneLeft(rest)
    const taken = await world.snapshots.take({ name, at, clock: world.clock.state })
    tell(world, 'taken', taken)
    return { status: 201, body: snapshotView(taken) }
  },

  async deleteSnapshot({ world, request }) {
    const { id } = request.path
    if (!(await world.snapshots.delete(id))) throw notFound('snapshot', id)
    return ok({ deleted: 1 })
  },

  async restoreSnapshot({ world, request }) {
    const { id } = request.path
    const taken = await world.snapshots.get(id)
    if (!taken) throw notFound('snapshot', id)
    // A snapshot that could be taken can be restored, since its rows are already in memory. Reports created
    // since then stay.
    const before = { ...taken.rows, certifications: [] }
    const rows = restorable(before, taken.clock, taken.at, world)
    const body = await begunAgain(world, () =>
      worlds.replace(world.name, rows, taken.rows_version, taken.stored),
    )
    tell(world, 'restored', taken)
    return ok(body)
  },

  async exportWorld({ world }) {
    const exported_at = exactTime(world.clock.now())
    const clock = world.clock.state
    const rows = exportable(await worlds.dump(world.name))
    const about = { format: 'payments-sandbox-world', version: 1, exported_at, clock } as const
    return { status: 200, pieces: exportText(about, rows) }
  },

  importWorld: {
    readBody: readExport,
    async reply({ world, request }) {
      const { rows, clock, exported_at } = request.body
      const { version } = world
      const own = await worlds.dump(world.name)
      await requireSettings(rows as WorldRows, defaults.current())
      const imported = importable(rows as WorldRows, own)
      requireRoomFor(worlds, world, bytesOf(imported))
      await requireRows(world.name, rows as WorldRows)
      await requireScenarios(rows as WorldRows, world.name)
      requireRoomForScenarios(world, rows as WorldRows, own)
      const ready = restorable(imported, clock, Date.parse(exported_at), world)
      return ok(await begunAgain(world, () => worlds.replace(world.name, ready, version)))
    },
  },
}))

/** A world's event log survives when its rows are replaced. */
function tell({ events, clock }: World, what: 'taken' | 'restored', { id, name }: SnapshotHead): void {
  events.publish('snapshot', clock.now(), { id, name, what }, (data) => data)
}

/** @throws {ServiceError} 429 or 503 if a world may not grow that much; shrinking is always allowed */
function requireRoomFor({ memory }: Worlds, world: World, bytes: number): void {
  if (bytes <= world.bytes) return
  world.budget.require('rows', world.bytes, bytes - world.bytes)
  memory.requireRoom()
}

const snapshotView = ({ id, name, at, count }: SnapshotHead): SnapshotView => ({
  id,
  name,
  taken_at: wireTime(at),
  rows: count,
})

/** Characters parsed before the time slice is checked. */
const PIECE = 1 << 16
/** Maximum number of characters of an export outside its rows, and of one row. */
const MOST = { around: 1 << 20, item: 1 << 23 }

/**
 * Reads an exported world as it arrives, in time slices. Each row is parsed and checked on its own, the rest
 * is validated by the schema.
 * @throws {ServiceError} 400, 413
 */
const readExport: BodyReader = async (pieces, call, check) => {
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

/** Replaces the lists in the document's field `rows`. */
function withRows(around: unknown, listOf: (name: string) => readonly object[]): unknown {
  const rows = (around as { rows?: unknown } | null)?.rows
  if (typeof rows !== 'object' || rows === null || Array.isArray(rows)) return around
  const lists = Object.entries(rows).map(([name, left]) => [name, Array.isArray(left) ? listOf(name) : left])
  return { ...(around as object), rows: Object.fromEntries(lists) }
}

/** Collects the rows of each table as they arrive. */
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
      // Let the schema report values that are not objects.
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        check({ ...NOTHING, rows: { [name]: [...list.map(() => ({})), value] } })
      requireShallow(value as object)
      checkRow(value as object, list.length)
      list.push(value as object)
    },
  }
}

/** A valid export without rows. */
const NOTHING = {
  format: 'payments-sandbox-world',
  version: 1,
  exported_at: '1970-01-01T00:00:00Z',
  clock: { real_anchor: 0, world_anchor: 0, speed: 1 },
}

function refusing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson(error)
    if (error instanceof RangeError)
      throw new ServiceError(
        'payload_too_large',
        `the request body is too large in one place: ${error.message}`,
      )
    throw error
  }
}

const scenarioState: z.ZodType<Omit<ScenarioState, 'files'>> = z.object({
  on: z.array(z.string()),
  queue: z.array(z.object({ scenario: z.string(), times: z.int().min(1) })),
  used: z.record(z.string(), z.int().min(0)),
  files: z.record(z.string(), z.unknown()),
  texts: z.record(z.string(), z.string().max(65_536)).optional(),
})

/**
 * Checks the scenarios among imported rows, in time slices. @throws {ServiceError} 400 for invalid scenarios
 */
export async function requireScenarios(rows: WorldRows, world = ''): Promise<void> {
  const kept = stateIn<ScenarioState>(rows, SCENARIO_STATE)
  if (kept === undefined) return
  const { error } = scenarioState.safeParse(kept, reporting)
  if (error) throw validationError(error)
  const slice = await timeSlice(world)
  for (const [name, file] of Object.entries(kept.files)) {
    if (slice.over) await slice.next()
    const checked = await checkFile(file)
    if (!('issues' in checked)) continue
    const [{ path, message }] = checked.issues as [(typeof checked.issues)[0]]
    throw invalid(`the scenario ${name} in rows.state: ${[...path].join('.')}: ${message}`)
  }
}

/** @throws {ServiceError} 429 if the world has no room for the imported scenarios */
function requireRoomForScenarios({ budget }: World, rows: WorldRows, own: WorldRows): void {
  const bytesIn = (from: WorldRows) => scenarioBytes(stateIn<ScenarioState>(from, SCENARIO_STATE) ?? noState)
  const used = bytesIn(own)
  const adding = bytesIn(rows) - used
  if (adding > 0) budget.require('scenarios', used, adding)
}

/** Receives the parts of a document while it is read. */
interface CutLists {
  /** A list begins; it replaces an earlier list of the same name, as in any JSON. */
  list(name: string): void
  item(value: unknown): void
}

const setOf = (signs: string) =>
  Uint8Array.from({ length: 128 }, (_, code) => +signs.includes(String.fromCharCode(code)))
const OUTSIDE_TEXT = setOf('"{}[],:')
const IN_TEXT = setOf('"\\')

/** Depth of a list in the field: within the document, the field and the list. */
const LIST = 3

/**
 * Splits a JSON document that arrives in pieces: parses the items of the lists in one field one by one, such as
 * `{"rows": {"a": [item, item], "b": [item]}}`, and everything else at the end. No step takes longer than its piece and
 * the item that ends in it.
 */
export class ListCutter {
  readonly #field: string
  readonly #told: CutLists
  readonly #most: { readonly around: number; readonly item: number }
  /** The document, with a single 0 in place of the items of each list. */
  #around = ''
  /** The item that has begun; undefined outside of the lists. */
  #item: string | undefined
  #items = 0
  #depth = 0
  #inText = false
  #escaped = false
  /** Where the last text begins in `around`, whether a colon came after it, and the open names of levels 1 and 2. */
  #text = 0
  #afterColon = false
  readonly #names = ['', '', '']

  /**
   * @param field - the field that contains the lists
   * @param most - maximum characters outside of the lists, and of an item
   */
  constructor(field: string, told: CutLists, most: { readonly around: number; readonly item: number }) {
    this.#field = field
    this.#told = told
    this.#most = most
  }

  /** @throws {SyntaxError} for invalid JSON, RangeError for parts that are too long */
  write(piece: string): void {
    let kept = 0
    let at = this.#escaped ? 1 : 0
    const keepTo = (end: number) => {
      this.#keep(piece.slice(kept, end))
      kept = end
    }
    while (at < piece.length) {
      const signs = this.#inText ? IN_TEXT : OUTSIDE_TEXT
      while (at < piece.length && !signs[piece.charCodeAt(at)]) at += 1
      if (at === piece.length) break
      const place = at
      const sign = piece[place]!
      at += sign === '\\' ? 2 : 1
      if (this.#inText) {
        this.#inText = sign !== '"'
        continue
      }
      const endsItem = this.#item !== undefined && this.#depth === LIST && ',]}'.includes(sign)
      if (endsItem || this.#item === undefined) keepTo(endsItem || sign === '"' ? place : at)
      if (endsItem) this.#endItem(sign)
      if (endsItem && sign === ',') kept = at
      this.#follow(sign)
    }
    keepTo(piece.length)
    this.#escaped = at > piece.length
  }

  /**
   * Returns the document without the items.
   * @throws {SyntaxError}
   */
  end(): unknown {
    return withoutNul(this.#around)
  }

  #keep(text: string): void {
    const { around, item } = this.#most
    if (this.#item === undefined) this.#around += text
    else this.#item += text
    if (this.#around.length > around)
      throw new RangeError(`the text around ${this.#field} is over ${around} characters`)
    if (this.#item && this.#item.length > item)
      throw new RangeError(`an item of ${this.#field}.${this.#names[2]} is over ${item} characters`)
  }

  /** Tracks the document far enough to recognize the beginning and the end of a list in the field. */
  #follow(sign: string): void {
    if (sign === '"') {
      this.#inText = true
      if (this.#item === undefined) this.#text = this.#around.length
    } else if (sign === ':' && this.#item === undefined && this.#depth > 0 && this.#depth < LIST) {
      const text = this.#around.slice(this.#text, this.#around.lastIndexOf('"') + 1)
      this.#names[this.#depth] = JSON.parse(text || '""') as string
    } else if (sign === '{' || sign === '[') {
      this.#depth += 1
      const isList = sign === '[' && this.#depth === LIST && this.#afterColon
      if (isList && this.#item === undefined && this.#names[1] === this.#field) {
        this.#told.list(this.#names[2]!)
        this.#item = ''
        this.#items = 0
      }
    } else if (sign === '}' || sign === ']') this.#depth -= 1
    this.#afterColon = sign === ':'
  }

  /** @param sign - the comma or bracket after the item, of which an empty list has none */
  #endItem(sign: string): void {
    const item = this.#item!
    const isNone = /^[ \t\r\n]*$/.test(item)
    // Let JSON.parse report the error.
    if (sign === '}' || (isNone && (sign === ',' || this.#items > 0)))
      JSON.parse(`${this.#around}${item}${sign}`)
    if (!isNone) this.#told.item(withoutNul(item, [this.#field, this.#names[2]!]))
    if (!isNone && this.#items === 0) this.#around += '0'
    this.#items += 1
    this.#item = sign === ',' ? '' : undefined
  }
}
