import * as z from 'zod'
import { handlers, ok } from './page.ts'
import { begunAgain, requireSettings } from './worlds.ts'
import type { Snapshot as SnapshotView } from '../generated/control/types.ts'
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
import { type CutLists, createListCutter } from '../lib/text/list-cutter.ts'
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
  const cutter = createListCutter('rows', keepIn(lists, check), { ...MOST, parse: withoutNul })
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
