import { access } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { type ClockState, createClock, systemWall } from '../../lib/clock/clock.ts'
import { surfaceError } from '../../lib/listeners.ts'
import type { Log } from '../../lib/log/log.ts'
import { openEngine } from '../engine.ts'
import { worldDefaults } from '../initial-state.ts'
import {
  type Item,
  NoWorld,
  type RequestsItem,
  type SnapshotItem,
  type WorldItem,
  type WorldSource,
  type WorldTarget,
} from './items.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import type { Engine } from '../../storage/engine/engine.ts'
import { bytesOf } from '../../storage/store/world.ts'
import { defaultSeed } from '../../worlds/default-seed.ts'
import { entryBytes, withoutSecretsIn } from '../../worlds/request-log.ts'
import { withoutLease } from '../../worlds/snapshots.ts'
import { CLOCK_STATE, stateIn } from '../../worlds/settings.ts'

/** No limit, so that all stored requests are exported. */
const MOST = { requests: 1_000_000, bytes: Number.MAX_SAFE_INTEGER }
/** Number of request ids that are requested concurrently. */
const AT_ONCE = 10_000

/**
 * Reads the worlds of a database, or of the rows file of a sandbox that does not run.
 * @throws Error if the rows file does not exist
 */
export async function sourceIn(place: Place, config: Config, log: Log): Promise<WorldSource> {
  if (place.db !== null)
    await access(place.db).catch(() => {
      throw new Error(`There is no rows file ${place.db}. Pass an existing file, as in SANDBOX_DB.`)
    })
  const name = nameOf(place)
  const opened = new ReopeningEngine(place, config, log)
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

/** Writes worlds to the same places. A rows file stores neither snapshots nor requests. */
export function targetIn(place: Place, config: Config, log: Log): WorldTarget {
  const opened = new ReopeningEngine(place, config, log)
  return {
    name: nameOf(place),
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
  const clock = createClock(systemWall, stateIn<ClockState>(rows, CLOCK_STATE))
  yield {
    format: 'payments-sandbox-world',
    version: 1,
    world,
    exported_at: exactTime(clock.now()),
    clock: clock.state,
    rows: withoutLease(rows),
  } satisfies WorldItem
  for (const { id } of await snapshots.list(world)) {
    // As it would be restored, without API keys that were revoked since.
    const { name, at, clock, rows } = (await snapshots.get(world, id))!
    const kept = { id, name, at, clock, rows: withoutLease(rows) }
    yield { format: 'payments-sandbox-snapshot', version: 1, world, ...kept } satisfies SnapshotItem
  }
  const requests = (await journal.open(world, MOST).all()).map(withoutSecretsIn)
  if (requests.length > 0)
    yield { format: 'payments-sandbox-requests', version: 1, world, requests } satisfies RequestsItem
}

/** Adds a snapshot under its previous id if that is free, by using up the ids before it. */
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

/** Adds requests with their previous ids to the empty request log of a world. */
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

/** Bytes of rows in memory after which the engine is reopened. */
const MOST_HELD = 64 << 20

/**
 * An engine that is opened when first used. A database is reopened after many rows were read, to free their memory: each world
 * is needed only once.
 */
class ReopeningEngine {
  readonly #open: () => Promise<Engine>
  #engine: Promise<Engine> | undefined
  #held = 0

  constructor(place: Place, config: Config, log: Log) {
    this.#open = () => openEngine({ ...config, ...place }, log, surfaceError, {})
  }

  engine(): Promise<Engine> {
    return (this.#engine ??= this.#open())
  }

  async read(bytes: number): Promise<void> {
    this.#held += bytes
    if (this.#held < MOST_HELD || !(await this.engine()).isRemote) return
    await this.close()
  }

  async close(): Promise<void> {
    const engine = this.#engine
    this.#engine = undefined
    this.#held = 0
    await (await engine?.catch(() => undefined))?.close()
  }
}

export type Place = Pick<Config, 'databaseUrl' | 'databaseUrls' | 'db'>

/** Returns the settings that those of an imported world are merged into. */
export const settingsFor = (config: Config) => worldDefaults(config, defaultSeed('demo', 'demo')).current()

/** Returns the path of a file, or the host and name of a database without its password. */
function nameOf({ databaseUrl, databaseUrls, db }: Place): string {
  const [url] = databaseUrls ?? [databaseUrl]
  if (url === null || url === undefined) return db!
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}
