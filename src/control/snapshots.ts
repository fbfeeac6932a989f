import { noneLeft, notFound } from '../service/domain/errors.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { Snapshot as SnapshotView } from '../generated/control/schemas.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { bytesOf } from '../storage/store/world.ts'
import { requireRows } from '../worlds/check-rows.ts'
import { exportable, exportText, importable, restorable } from '../worlds/saved.ts'
import type { Snapshot } from '../storage/engine/snapshots.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { ControlDependencies } from './dependencies.ts'
import { requireRoomForScenarios, requireScenarios } from './imported-scenarios.ts'
import { readExport } from './read-export.ts'
import { requireSettings } from './settings-change.ts'
import { begunAgain } from './worlds.ts'

type Handlers = Pick<
  ControlHandlers,
  'listSnapshots' | 'createSnapshot' | 'deleteSnapshot' | 'restoreSnapshot' | 'exportWorld' | 'importWorld'
>

export const snapshots = ({ worlds, defaults }: ControlDependencies): Handlers => ({
  async listSnapshots(call) {
    return { status: 200, body: { snapshots: (await call.world.snapshots.list()).map(snapshotView) } }
  },

  async createSnapshot(call) {
    const { world } = call
    const at = world.clock.now()
    await world.snapshots.look()
    world.budget.require('snapshot_count', world.snapshots.count, 1)
    world.budget.require('snapshots', world.snapshots.bytes, world.bytes)
    worlds.memory.requireRoom()
    // Before the rows are read: a key that is revoked from now on is newer than the snapshot.
    const { bytes, version: rows_version } = world
    const rows = await worlds.dump(world.name)
    const { name = `at ${wireTime(at)}`, ...rest } = call.request.body
    noneLeft(rest)
    const taken = await world.snapshots.add({ name, at, clock: world.clock.state, rows, rows_version, bytes })
    tell(world, 'taken', taken)
    return { status: 201, body: snapshotView(taken) }
  },

  async deleteSnapshot(call) {
    const { world } = call
    const { id } = call.request.path
    if (!(await world.snapshots.delete(id))) throw notFound('snapshot', id)
    return { status: 200, body: { deleted: 1 } }
  },

  async restoreSnapshot(call) {
    const { world } = call
    const { id } = call.request.path
    const taken = await world.snapshots.get(id)
    if (!taken) throw notFound('snapshot', id)
    // Its rows are in memory already: a snapshot that could be taken can be restored.
    // Reports that were made since stay.
    const before = { ...taken.rows, certifications: [] }
    const rows = restorable(before, taken.clock, taken.at, world)
    const body = await begunAgain(world, () => worlds.replace(world.name, rows, taken.rows_version))
    tell(world, 'restored', taken)
    return { status: 200, body }
  },

  async exportWorld(call) {
    const { world } = call
    const exported_at = exactTime(world.clock.now())
    const clock = world.clock.state
    const rows = exportable(await worlds.dump(world.name))
    const about = { format: 'payments-sandbox-world', version: 1, exported_at, clock } as const
    return { status: 200, pieces: exportText(about, rows) }
  },

  importWorld: {
    readBody: readExport,
    async reply(call) {
      const { world } = call
      const { rows, clock, exported_at } = call.request.body
      const { version } = world
      const own = await worlds.dump(world.name)
      requireSettings(rows as WorldRows, defaults.current)
      const imported = importable(rows as WorldRows, own)
      requireRoomFor(worlds, world, bytesOf(imported))
      await requireRows(world.name, rows as WorldRows)
      await requireScenarios(rows as WorldRows, world.name)
      requireRoomForScenarios(world, rows as WorldRows, own)
      const ready = restorable(imported, clock, Date.parse(exported_at), world)
      return { status: 200, body: await begunAgain(world, () => worlds.replace(world.name, ready, version)) }
    },
  },
})

/** Tells whoever listens; a world's events stay when other rows take the place of its own. */
function tell({ events, clock }: World, what: 'taken' | 'restored', { id, name }: Snapshot): void {
  events.publish('snapshot', clock.now(), { id, name, what }, (data) => data)
}

/** @throws ServiceError 429 or 503 when a world may not become as large; it may always become smaller */
function requireRoomFor({ memory }: Worlds, world: World, bytes: number): void {
  if (bytes <= world.bytes) return
  world.budget.require('rows', world.bytes, bytes - world.bytes)
  memory.requireRoom()
}

const snapshotView = ({ id, name, at, rows }: Snapshot): SnapshotView => ({
  id,
  name,
  taken_at: wireTime(at),
  rows: rowsIn(rows),
})

const rowsIn = (rows: WorldRows) => Object.values(rows).reduce((sum, list) => sum + list.length, 0)
