import { createClock, systemWall, type ClockState } from '../../lib/clock/clock.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import type { Engine } from '../../storage/engine/engine.ts'
import { entryBytes } from '../../worlds/journal.ts'
import { withoutSecretsIn } from '../../worlds/request-view.ts'
import { withoutLease } from '../../worlds/saved.ts'
import { bytesOf } from '../../storage/store/world.ts'
import { CLOCK_STATE, stateIn } from '../../worlds/template.ts'
import {
  type Item,
  NoWorld,
  type RequestsItem,
  type SnapshotItem,
  type WorldItem,
  type WorldSource,
  type WorldTarget,
} from './items.ts'
import { Opened, type OpenEngine } from './opened.ts'

/** As many requests as a world may have on record. */
const MOST = { requests: 1_000_000, bytes: Number.MAX_SAFE_INTEGER }
/** Ids that are asked for at once. */
const AT_ONCE = 10_000

/** The worlds of a database or of a rows file. */
export function storedSource(name: string, open: OpenEngine): WorldSource {
  const opened = new Opened(open)
  return {
    name,
    worlds: async () => (await opened.engine()).worlds.names(),
    async *itemsOf(world) {
      const engine = await opened.engine()
      if (!(await engine.worlds.has(world))) throw new NoWorld(`${name} has no world ${world}`)
      yield* itemsIn(engine, world)
      await opened.read(engine.store.bytes(world))
    },
    close: () => opened.close(),
  }
}

/** The same to write to. What is no row is kept by a database alone. */
export function storedTarget(name: string, open: OpenEngine): WorldTarget {
  const opened = new Opened(open)
  return {
    name,
    has: async (world) => (await opened.engine()).worlds.has(world),
    async putWorld({ world, rows }) {
      const { worlds, store, snapshots } = await opened.engine()
      if (!(await worlds.create(world, rows))) {
        await store.load(world, rows)
        for (const { id } of await snapshots.list(world)) await snapshots.delete(world, id)
      }
      await opened.read(bytesOf(rows))
    },
    putSnapshot: async (item) => putSnapshot(await opened.engine(), item),
    putRequests: async (item) => putRequests(await opened.engine(), item),
    close: () => opened.close(),
  }
}

async function* itemsIn({ store, snapshots, journal }: Engine, world: string): AsyncGenerator<Item> {
  const rows = await store.dump(world)
  const clock = stateIn<ClockState>(rows, CLOCK_STATE)
  const { state, now } = clockOf(clock)
  const exported_at = exactTime(now)
  yield {
    format: 'payments-sandbox-world',
    version: 1,
    world,
    exported_at,
    clock: state,
    rows: withoutLease(rows),
  } satisfies WorldItem
  for (const { id } of await snapshots.list(world)) {
    // As it would be restored: without the keys that were revoked since.
    const { bytes: _, rows_version: __, ...snapshot } = (await snapshots.get(world, id))!
    const kept = { ...snapshot, rows: withoutLease(snapshot.rows) }
    yield { format: 'payments-sandbox-snapshot', version: 1, world, ...kept } satisfies SnapshotItem
  }
  const requests = (await journal.open(world, MOST).all()).map(withoutSecretsIn)
  if (requests.length > 0)
    yield { format: 'payments-sandbox-requests', version: 1, world, requests } satisfies RequestsItem
}

function clockOf(saved: ClockState | undefined) {
  const clock = createClock(systemWall, saved)
  return { state: clock.state, now: clock.now() }
}

/** Gives it the id that it had, where none of the world's has it. */
async function putSnapshot(engine: Engine, item: SnapshotItem): Promise<boolean> {
  const { world, id, name, at, clock, rows } = item
  const { snapshots, store, isRemote = false } = engine
  if (!isRemote) return false
  const rows_version = store.version(world)
  const nothing = { name: '', at: 0, clock, rows: {}, rows_version, bytes: 0 }
  const snapshot = { name, at, clock, rows, rows_version, bytes: bytesOf(rows) }
  for (let added = await snapshots.add(world, snapshot); added.id < id;) {
    await snapshots.delete(world, added.id)
    const next = added.id + 1
    added = await snapshots.add(world, next < id ? nothing : snapshot)
  }
  return true
}

/** Puts requests on the record of a world that has none, with the ids that they had. */
async function putRequests(engine: Engine, { world, requests }: RequestsItem): Promise<boolean> {
  if (!engine.isRemote) return false
  await engine.worlds.has(world)
  const record = engine.journal.open(world, MOST)
  const giveIds = async (from: number, through: number) => {
    for (let given = from; given < through; given += AT_ONCE) {
      const wanted = Math.min(AT_ONCE, through - given)
      await Promise.all(Array.from({ length: wanted }, () => record.nextId()))
    }
  }
  const [first, last] = [numberOf(requests[0]!), numberOf(requests.at(-1)!)]
  await giveIds(0, first - 1)
  if (first > 1) await record.clear()
  await giveIds(first - 1, last)
  for (const entry of requests) {
    record.add(entry)
    record.answered({ ...entry, answered: true }, entryBytes(entry))
  }
  return true
}

const numberOf = ({ id }: { readonly id: string }) => Number(id.slice('req_'.length))
