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
import { entryBytes } from '../../worlds/journal.ts'
import { withoutSecretsIn } from '../../worlds/request-record.ts'
import { withoutLease } from '../../worlds/snapshots.ts'
import { CLOCK_STATE, stateIn } from '../../worlds/settings.ts'

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

export type OpenEngine = () => Promise<Engine>

/** Rows that may be in memory before the engine is opened anew, bytes. */
const MOST_HELD = 64 << 20

/**
 * An engine that is opened when it is needed, and where it can be read anew from elsewhere, opened anew once it holds much: worlds
 * are passed on one after another, and none is needed twice.
 */
export class Opened {
  readonly #open: OpenEngine
  #engine: Promise<Engine> | undefined
  #held = 0

  constructor(open: OpenEngine) {
    this.#open = open
  }

  engine(): Promise<Engine> {
    return (this.#engine ??= this.#open())
  }

  /** Notes that so many bytes of rows were read. */
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

/** What worlds are kept in while no sandbox is asked: a database, or the rows file of a sandbox that does not run. */
export type Place = Pick<Config, 'databaseUrl' | 'db'>

/** @throws Error for a rows file that is not there */
export async function sourceIn(place: Place, config: Config, log: Log): Promise<WorldSource> {
  if (place.db !== null)
    await access(place.db).catch(() => {
      throw new Error(`There is no rows file ${place.db}. Name one that exists, as SANDBOX_DB does.`)
    })
  return storedSource(nameOf(place), opening(place, config, log))
}

export const targetIn = (place: Place, config: Config, log: Log): WorldTarget =>
  storedTarget(nameOf(place), opening(place, config, log))

/** What settings that come with a world are laid over, so that they can be looked at. */
export const settingsFor = (config: Config) => worldDefaults(config, defaultSeed('demo', 'demo')).current

const opening = (place: Place, config: Config, log: Log) => () =>
  openEngine({ ...config, ...place }, log, surfaceError, {})

/** A database by its host and name, without the password. */
function nameOf({ databaseUrl, db }: Place): string {
  if (databaseUrl === null) return db!
  const { host, pathname } = new URL(databaseUrl)
  return `postgres://${host}${pathname}`
}
