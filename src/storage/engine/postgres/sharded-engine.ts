import { KeyedMutex, pause } from '../../../lib/clock/clock.ts'
import { type OnError, surfaceError } from '../../../lib/listeners.ts'
import { systemSecrets } from '../../../lib/random/random.ts'
import type { Engine } from '../engine.ts'
import type { DueWorlds, JobQueue, Runner } from '../job-queue.ts'
import { MemoryCounters } from '../memory/shared-state.ts'
import type { Counter, Counters, WorldOwners } from '../shared-state.ts'
import type { Creation, WorldDirectory, WorldRegistry } from '../worlds.ts'
import { statement } from './database.ts'
import type { Store } from '../../store/change.ts'
import { openPostgresEngine, type PostgresEngine } from './engine.ts'
import { Shards, type ShardsOptions } from './shards.ts'
import { pageOfOwned } from './world-directory.ts'
import { moveWorld } from './world-moves.ts'

/**
 * Opens an engine over one or several databases. Each of several has its own connections, writers and pollers, so that none waits
 * for another. What belongs to no world is in the home database.
 * @throws {UnusableDatabase} If an address leads to a wrong database, or the home database cannot be reached.
 */
export async function openShardedEngine({ urls, ...options }: ShardsOptions): Promise<Engine> {
  if (urls.length === 1)
    return openPostgresEngine({ ...options, url: urls[0]!, setting: 'SANDBOX_DATABASE_URLS' })
  const shards = await Shards.open({ urls, ...options })
  const { home } = shards
  const { audit, settings, processes, lock, wall } = home
  let closed: Promise<void> | undefined
  return {
    isRemote: true,
    ...(wall && { wall }),
    audit,
    settings,
    processes,
    lock,
    worlds: registryOver(shards),
    directory: directoryOver(shards),
    store: storeOver(shards),
    owners: ownersOver(shards),
    jobs: queueOver(shards, options.onError ?? surfaceError),
    events: { open: (world, first) => shards.of(world).events.open(world, first) },
    journal: { open: (world, limits) => shards.of(world).journal.open(world, limits) },
    snapshots: {
      take: (world, about) => viaAsync(shards, world, ({ snapshots }) => snapshots.take(world, about)),
      add: (world, snapshot) => viaAsync(shards, world, ({ snapshots }) => snapshots.add(world, snapshot)),
      get: (world, id) => viaAsync(shards, world, ({ snapshots }) => snapshots.get(world, id)),
      list: (world) => viaAsync(shards, world, ({ snapshots }) => snapshots.list(world)),
      delete: (world, id) => viaAsync(shards, world, ({ snapshots }) => snapshots.delete(world, id)),
      look: (world) => viaAsync(shards, world, ({ snapshots }) => snapshots.look(world)),
      spent: (world) => shards.of(world).snapshots.spent(world),
    },
    counters: countersOver(shards),
    get stats() {
      const sums = { trips: 0, statements: 0, batches: 0, changes: 0 }
      for (const { stats } of shards.engines)
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += stats![name]
      return sums
    },
    measures: {
      measure: (meter) =>
        void shards.each(({ measures }, shard) =>
          measures!.measure({ ...meter, trip: (kind, ms) => meter.trip(kind, ms, shard) }),
        ),
      get databases() {
        return shards.states.map(({ shard, engine, reason }) => {
          const connections = engine?.database.connections ?? 0
          return { shard, unavailable: reason !== undefined, connections }
        })
      },
      get caughtUp() {
        return shards.engines.reduce((sum, { measures }) => sum + measures!.caughtUp, 0)
      },
    },
    shards: {
      list: () =>
        shards.states.map(({ shard, reason }) => ({ shard, ...(reason !== undefined && { reason }) })),
      async move(world, to) {
        const target = shards.numbered(to)
        const from = await shards.find(world)
        if (from === target.engine) return from.worlds.has(world)
        const isMoved = await moveWorld(from, target, world)
        if (isMoved && shards.open(world) === from) shards.note(world, target.engine)
        return isMoved
      },
    },
    close: () => (closed ??= shards.close()),
  }
}

const viaAsync = async <T>(
  shards: Shards,
  world: string,
  work: (engine: PostgresEngine) => T | Promise<T>,
): Promise<Awaited<T>> => await shards.via(world, work)

const lockMaking = statement`select pg_advisory_xact_lock(hashtext('making a world'))`

/** Runs work in one process at a time, so that each sees the worlds that the others made. */
async function oneAtATime<T>({ home }: Shards, work: () => Promise<T>): Promise<T> {
  if (home.store.unavailable) return work()
  const [outcome] = await home.database.lend(async (client) => {
    await client.query('begin')
    await client.query(lockMaking)
    const done = await Promise.allSettled([work()])
    await client.query('commit')
    return done
  })
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

function registryOver(shards: Shards): WorldRegistry {
  const making = new KeyedMutex()
  const countBut = async (engine: PostgresEngine) => {
    const counts = await shards.ask((each) => (each === engine ? 0 : each.directory.count()))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  return {
    async names() {
      shards.requireAll()
      return (await shards.ask(({ worlds }) => worlds.names())).flat().toSorted()
    },
    async has(name, since) {
      if (await shards.open(name)?.worlds.has(name, since)) return true
      // It may have been moved.
      const engine = await shards.find(name)
      const has = await engine.worlds.has(name, since)
      if (has) shards.note(name, engine)
      return has
    },
    async create(name, rows, { most, ...options } = {}) {
      const engine = await shards.find(name)
      const create = (limit: Creation) => engine.worlds.create(name, rows, { ...options, ...limit })
      const isNew =
        most === undefined
          ? await create({})
          : await making.run('', () =>
              oneAtATime(shards, async () => create({ most: most - (await countBut(engine)) })),
            )
      shards.note(name, engine)
      return isNew
    },
    drop: (name) => viaAsync(shards, name, ({ worlds }) => worlds.drop(name)),
    forget(name) {
      const engine = shards.open(name)
      if (!engine?.worlds.forget(name)) return engine === undefined
      shards.forget(name, engine)
      return true
    },
    used: (name, at) => shards.open(name)?.worlds.used(name, at),
    keyUsed: (name, username, at) => shards.open(name)?.worlds.keyUsed(name, username, at),
    keepKeys: (name, usernames) => viaAsync(shards, name, ({ worlds }) => worlds.keepKeys(name, usernames)),
    keysUsed: (name, usernames) => viaAsync(shards, name, ({ worlds }) => worlds.keysUsed(name, usernames)),
    lastUsed: (name) => viaAsync(shards, name, ({ worlds }) => worlds.lastUsed(name)),
    async list(query) {
      const found = await shards.ask(({ worlds }) => worlds.list(query))
      const worlds = found
        .flatMap((each) => each.worlds)
        .toSorted((one, other) => other.at - one.at || (one.name < other.name ? -1 : 1))
      return { worlds: worlds.slice(0, query.limit), total: found.reduce((sum, { total }) => sum + total, 0) }
    },
    onChanged: (listener) =>
      shards.each((engine) =>
        engine.worlds.onChanged((name, event) => {
          if (event === 'dropped') shards.forget(name, engine)
          listener(name, event)
        }),
      ),
  }
}

/** Without the worlds of databases that are away. */
function directoryOver(shards: Shards): WorldDirectory {
  const ask = <T>(work: (directory: PostgresEngine['directory']) => T | Promise<T>) =>
    shards.ask(({ directory }) => work(directory))
  const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0)
  return {
    count: async () => sum(await ask((directory) => directory.count())),
    origins: async () => (await ask((directory) => directory.origins())).flat(),
    async owed() {
      const all = await ask((directory) => directory.owed())
      return {
        pending_jobs: sum(all.map(({ pending_jobs }) => pending_jobs)),
        failing_jobs: sum(all.map(({ failing_jobs }) => failing_jobs)),
      }
    },
    lag: async (now) => Math.max(0, ...(await ask((directory) => directory.lag(now)))),
    owned: async (query) => pageOfOwned(await ask((directory) => directory.ownedRows(query)), query.limit),
    unused: async (since, until, guest) =>
      (await ask((directory) => directory.unused(since, until, guest))).flat(),
    guests: async () => (await ask((directory) => directory.guests())).flat(),
    async invited(token) {
      const [world] = (await ask((directory) => directory.invited(token))).filter(
        (each) => each !== undefined,
      )
      if (world === undefined) shards.requireAll()
      return world
    },
    records: async () => (await ask((directory) => directory.records())).flat(),
    entry: (name) => viaAsync(shards, name, ({ directory }) => directory.entry(name)),
  }
}

function storeOver(shards: Shards): Store {
  return {
    worlds: () => registryOver(shards).names(),
    change: (world, work) => shards.via(world, ({ store }) => store.change(world, work)),
    read: (world, work, since) => shards.via(world, ({ store }) => store.read(world, work, since)),
    moment: () => shards.home.store.moment(),
    readInSlices: (world, work) => viaAsync(shards, world, ({ store }) => store.readInSlices(world, work)),
    load: (world, ...rows) => viaAsync(shards, world, ({ store }) => store.load(world, ...rows)),
    dump: (world) => viaAsync(shards, world, ({ store }) => store.dump(world)),
    version: (world) => shards.of(world).store.version(world),
    bytes: (world) => shards.of(world).store.bytes(world),
    inboxBytes: (world) => shards.of(world).store.inboxBytes(world),
    drop: (world) => viaAsync(shards, world, ({ store }) => store.drop(world)),
    onCommit: (listener) => shards.each(({ store }) => store.onCommit(listener)),
    get unavailable() {
      return shards.states.every(({ reason }) => reason !== undefined)
        ? shards.home.store.unavailable
        : undefined
    },
    onRecovered: (listener) => shards.each(({ store }) => store.onRecovered(listener)),
    close: () => shards.close(),
  }
}

function ownersOver(shards: Shards): WorldOwners {
  let retired = false
  /** A world can be taken before it is open. */
  const ownerOf = (world: string) =>
    [shards.open(world), ...shards.engines].find((engine) => engine?.owners.isOwn(world))
  return {
    async join(address, token = systemSecrets()) {
      const joined: Promise<unknown>[] = []
      shards.each(({ owners }) => {
        // One that is away now joins with its first renewal.
        if (!retired) joined.push(owners.join(address, token).catch(() => {}))
      })
      await Promise.all(joined)
      return token
    },
    isOwn: (world) => shards.open(world)?.owners.isOwn(world) || ownerOf(world) !== undefined,
    retire() {
      retired = true
      for (const { owners } of shards.engines) owners.retire()
    },
    answering: (world) => viaAsync(shards, world, ({ owners }) => owners.answering(world)),
    within: (deadline, work) => shards.home.owners.within(deadline, work),
    asForwarded: (request, work) =>
      (ownerOf(request.world) ?? shards.of(request.world)).owners.asForwarded(request, work),
    hadEffect: (world, id) => viaAsync(shards, world, ({ owners }) => owners.hadEffect(world, id)),
  }
}

/** How long due worlds of one database wait for the answer of another, and until one that is away is asked again, milliseconds. */
const PATIENCE = 100
const ASKED_AGAIN = 1_000

function queueOver(shards: Shards, onError: OnError): JobQueue {
  return {
    join(listener): Runner {
      const runners = new Map<PostgresEngine, Runner>()
      const asking = new Map<PostgresEngine, Promise<void>>()
      const answers: [engine: PostgresEngine, due: DueWorlds][] = []
      const stop = shards.each((engine) => void runners.set(engine, engine.jobs.join(listener)))
      const via = <T>(world: string, work: (runner: Runner) => Promise<T>) =>
        viaAsync(shards, world, (engine) => work(runners.get(engine)!))
      const ask = (engine: PostgresEngine, runner: Runner, now: number) =>
        runner.claimDue(now).then(
          (due) => void answers.push([engine, due]),
          (error: unknown) => engine.store.unavailable || onError(error, { of: 'due worlds' }),
        )
      return {
        claim: (world, now) => via(world, (runner) => runner.claim(world, now)),
        async claimDue(now) {
          for (const [engine, runner] of runners) {
            if (asking.has(engine)) continue
            asking.set(
              engine,
              ask(engine, runner, now).then(() => void asking.delete(engine)),
            )
          }
          await Promise.race([Promise.all(asking.values()), pause(PATIENCE)])
          const answered = answers.splice(0)
          for (const [engine, { claimed }] of answered)
            for (const { world } of claimed) shards.note(world, engine)
          return {
            claimed: answered.flatMap(([, { claimed }]) => claimed),
            next: Math.min(now + ASKED_AGAIN, ...answered.map(([, { next }]) => next)),
          }
        },
        release: (world, again) => via(world, (runner) => runner.release(world, again)),
        request: (world) => via(world, (runner) => runner.request(world)),
        announce: (world) => via(world, (runner) => runner.announce(world)),
        async leave() {
          stop()
          await Promise.all([...runners.values()].map((runner) => runner.leave()))
        },
      }
    },
  }
}

/** Counts of worlds are where the worlds are. While the home database is away, each process counts addresses and keys for itself. */
function countersOver(shards: Shards): Counters {
  const own = new MemoryCounters()
  return {
    open(of, limit): Counter {
      const opened = new Map<PostgresEngine, Counter>()
      const inDatabase = (engine: PostgresEngine): Counter => {
        const counter = opened.get(engine) ?? engine.counters.open(of, limit)
        opened.set(engine, counter)
        return counter
      }
      const alone = own.open(of, limit)
      const { home } = shards
      const at = (name: string) => {
        if (limit.byWorld) return inDatabase(shards.of(name))
        return home.store.unavailable ? alone : inDatabase(home)
      }
      return {
        take: (name, now) => at(name).take(name, now),
        add: (name, now) => at(name).add(name, now),
        count: (name, now) => at(name).count(name, now),
        look: (name, now) => at(name).look(name, now),
      }
    },
  }
}
