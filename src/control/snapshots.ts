import { notFound } from '../domain/errors.ts'
import { wireTime } from '../domain/wire-time.ts'
import type { Snapshot as SnapshotView, WorldExport } from '../generated/control/schemas.ts'
import type { WorldRows } from '../store/store.ts'
import { importable, restorable } from '../worlds/saved.ts'
import type { Snapshot } from '../worlds/snapshots.ts'
import type { ControlHandlers } from './handlers.ts'
import { requireSettings } from './settings-change.ts'
import { begunAgain } from './worlds.ts'

export const snapshots: Pick<
  ControlHandlers,
  'listSnapshots' | 'createSnapshot' | 'deleteSnapshot' | 'restoreSnapshot' | 'exportWorld' | 'importWorld'
> = {
  async listSnapshots(c) {
    return c.json({ snapshots: c.var.world.snapshots.all().map(snapshotView) }, 200)
  },

  async createSnapshot(c) {
    const { world, process } = c.var
    const at = world.clock.now()
    const rows = await process.worlds.dump(world.name)
    const name = c.req.valid('json').name ?? `at ${wireTime(at)}`
    const taken = world.snapshots.add({ name, at, clock: world.clock.state, rows })
    return c.json(snapshotView(taken), 201)
  },

  async deleteSnapshot(c) {
    const { world } = c.var
    const { id } = c.req.valid('param')
    if (!world.snapshots.get(id)) throw notFound('snapshot', id)
    world.snapshots.delete(id)
    return c.json({ deleted: 1 }, 200)
  },

  async restoreSnapshot(c) {
    const { world, process } = c.var
    const { id } = c.req.valid('param')
    const taken = world.snapshots.get(id)
    if (!taken) throw notFound('snapshot', id)
    const rows = restorable(world.snapshots.rowsOf(taken), taken.clock, taken.at, world)
    return c.json(await begunAgain(world, () => process.worlds.replace(world.name, rows)), 200)
  },

  async exportWorld(c) {
    const { world, process } = c.var
    const exported = {
      format: 'payments-sandbox-world' as const,
      version: 1 as const,
      exported_at: wireTime(world.clock.now()),
      clock: world.clock.state,
      rows: (await process.worlds.dump(world.name)) as WorldExport['rows'],
    }
    return c.json(exported, 200)
  },

  async importWorld(c) {
    const { world, process } = c.var
    const { rows, clock, exported_at } = c.req.valid('json')
    const own = await process.worlds.dump(world.name)
    requireSettings(rows as WorldRows, process.defaults.current)
    const ready = restorable(importable(rows, own), clock, Date.parse(exported_at), world)
    return c.json(await begunAgain(world, () => process.worlds.replace(world.name, ready)), 200)
  },
}

const snapshotView = ({ id, name, at, rows }: Snapshot): SnapshotView => ({
  id,
  name,
  taken_at: wireTime(at),
  rows: rowsIn(rows),
})

const rowsIn = (rows: WorldRows) => Object.values(rows).reduce((sum, list) => sum + list.length, 0)
