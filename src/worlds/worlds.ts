import type { Clock, ClockState, Wall } from '../clock.ts'
import { sliceOf } from '../clock/time-slice.ts'
import type { Settings } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { type OnError, Listeners } from '../listeners.ts'
import { loadPatternsFor } from '../scenarios/patterns.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { WorldEvent, WorldRows } from '../store/store.ts'
import { bytesOf } from '../store/world.ts'
import { Budget, type Limits } from './budget.ts'
import { credentialCheck, type Principal, takeKey } from './credentials.ts'
import { createMemory, type Memory } from './memory.ts'
import { firstRows, type WorldTemplate, stateIn, withLife } from './template.ts'
import type { World, WorldOptions } from './world.ts'
import { WorldCache } from './world-cache.ts'

/** Told when a world's rows were replaced (with the world that has them now) or dropped (with none). */
type Replaced = (name: string, world: World | undefined) => void | Promise<void>

export interface Worlds {
  /** The default world's name. */
  readonly home: string
  /** The world and user behind an API key pair, or undefined when it is not one. Makes a disposable world. */
  authenticate(username: string, password: string): Promise<Principal | undefined>
  /** The same at once, without a look at the rows, when the key is known already; undefined: `authenticate` tells. */
  recognize(username: string, password: string): Principal | undefined
  /** A world that is there, by name. */
  get(name: string): World | undefined
  all(): readonly World[]
  /** Makes a world of this name from a template. @throws ServiceError 429 when there are too many or it is too large, 503 without memory */
  make(name: string, template: WorldTemplate): Promise<World>
  /** Brings a world back to what it began with: rows, ids, clock, settings, journal; nothing owed is done. */
  reset(name: string): Promise<World>
  /** Puts other rows in the place of a world's. @throws Error when two rows of a table have one key */
  replace(name: string, rows: WorldRows): Promise<World>
  /** Forgets a world; the default one cannot go. */
  drop(name: string): Promise<void>
  /** Forgets the worlds that nobody called for so many milliseconds; returns their names. */
  dropIdle(ttl: number): Promise<readonly string[]>
  /** Forgets what it remembers of rows; after some were taken back. */
  reread(): void
  /** What all worlds take together. */
  readonly memory: Memory
  /** Every row of a world. */
  dump(name: string): Promise<WorldRows>
  onReplaced(listener: Replaced): void
  /** Lets every listener of every world go, and whoever waits in one, who is refused with `why`. */
  close(why: string): void
  /** Follows what is kept no more; the last thing that is done. */
  stop(): void
}

export interface WorldsOptions {
  /** What the worlds are kept in; others may share it. */
  readonly engine: Engine
  readonly wall: Wall
  /** @param saved how the world's clock went when the sandbox was closed */
  readonly newClock: (saved?: ClockState) => Clock
  readonly seed: string
  /** What the secrets of worlds are drawn from; the seed when left out. */
  readonly secret?: string | undefined
  readonly settings: () => Settings
  /** Takes what listeners throw. */
  readonly onError: OnError
  /** The name of the default world: its owner's API username. */
  readonly home: string
  /** What every world without a seed of its own starts with. */
  readonly rows: WorldRows
  /** What tells a world from earlier ones of its name, when so many were dropped before it. */
  readonly life: (dropped: number) => string | undefined
  readonly journalSize: number
  readonly most: number
  /** How long a disposable world lives after its last call, milliseconds. */
  readonly ttl: number
  /** What each world may take. */
  readonly limits: Limits
  /** What all worlds may take together, bytes. */
  readonly maxMemory: number
  readonly onSpent: NonNullable<WorldOptions['onSpent']>
}

/** Tables that say who may do what. */
const ACCESS: ReadonlySet<string> = new Set(['apiKeys', 'users', 'roles'])
/** Milliseconds between two looks for worlds that can go to make room. */
const SWEPT_EVERY = 1_000
/** What is said to whoever had a world whose rows were replaced. */
const RESET = 'the world was reset while this request ran; send it again'
/** The same of one that was dropped. */
const REMOVED = 'the world was removed while this request ran'

/** Opens the worlds that the engine has and makes the default one when it is missing. */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { engine, home, wall, most } = options
  const { store } = engine
  const cache = new WorldCache(options)
  const listeners = new Listeners<Parameters<Replaced>>((error, world) =>
    options.onError(error, { of: 'replaced world', world }),
  )
  const memory = createMemory(options.maxMemory, wall, () => cache.all())
  let dropped = 0

  const beginning = (template?: WorldTemplate) =>
    firstRows(options.rows, template, template?.clock?.world_anchor ?? wall())

  let swept = -Infinity
  let sweeping: Promise<void> | undefined
  /** Drops what is idle; whoever finds no room in the next second is refused without a look at every world. */
  const makeRoom = async () => {
    if (!sweeping && Math.abs(wall() - swept) >= SWEPT_EVERY) {
      swept = wall()
      sweeping = api.dropIdle(options.ttl).then(() => {})
    }
    await sweeping?.finally(() => (sweeping = undefined))
  }
  const make = async (name: string, template?: WorldTemplate) => {
    if (cache.size >= most) await makeRoom()
    // Another first request of the same world may have been quicker.
    const known = cache.coming(name)
    if (known) return known
    if (cache.size >= most)
      throw new ServiceError(
        'resource_exhausted',
        `there are ${most} worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS`,
      )
    memory.requireRoom()
    const rows = withLife(beginning(template), name === home ? undefined : options.life(dropped))
    if (template) new Budget(options.limits, wall).require('rows', 0, bytesOf(rows))
    const making = cache.asOwn(name, () => engine.worlds.create(name, rows))
    // So may one of another sandbox: its rows stay.
    return cache.hold(
      name,
      making.then((made) => (made ? cache.enter(name, rows) : cache.adopt(name))),
    )
  }

  /** Says so to whoever follows the world. */
  const tellReplaced = async (world: World) => {
    await listeners.tellInTurn(world.name, world)
    world.events.publish('reset', world.clock.now(), undefined, () => ({}))
    world.events.accessChanged()
    return world
  }
  const replaceRows = async (name: string, rowsOf: (before: World) => WorldRows) => {
    const before = await cache.coming(name)
    if (!before) throw new ServiceError('unavailable', `the world ${name} is gone`)
    const rows = withLife(rowsOf(before), before.life)
    const replacing = async () => {
      before.close(RESET)
      cache.hide(name)
      await loadPatternsFor(stateIn(rows, SCENARIO_STATE))
      try {
        await store.load(name, rows)
      } catch (error) {
        cache.putBack(before)
        throw error
      }
      return tellReplaced(cache.enter(name, rows, before))
    }
    return cache.hold(
      name,
      cache.asOwn(name, () => replacing()),
    )
  }
  const forget = async (world: World) => {
    dropped += 1
    world.events.close()
    await listeners.tellInTurn(world.name, undefined)
  }
  /** What another sandbox did. */
  const follow = async (name: string, event: WorldEvent) => {
    const before = cache.get(name)
    if (event === 'created') await cache.find(name)
    else if (before && event === 'replaced') {
      before.close(RESET)
      cache.hide(name)
      await cache.hold(name, cache.adopt(name, before).then(tellReplaced))
    } else if (before) {
      before.close(REMOVED)
      cache.delete(name)
      await forget(before)
    }
  }
  const isUnused = (world: World, ttl: number) =>
    world.name !== home && !world.closed && wall() - world.used_at >= ttl
  const isUnusedAnywhere = async ({ name }: World, ttl: number) =>
    wall() - ((await engine.worlds.lastUsed(name)) ?? -Infinity) >= ttl
  const owesNothing = async (world: World, ttl: number) => {
    const [next] = await world.read(({ rows }) => rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 }))
    // What is due soon is worth waiting for; work of a clock that stands still never falls due.
    return !next || world.clock.wallTimeOf(next.due_at) > wall() + ttl
  }

  const stopListening = [
    store.onCommit((name, written) => {
      const world = cache.get(name)
      if (written.some(({ table }) => table === 'apiKeys')) world?.keys.clear()
      if (written.some(({ table }) => ACCESS.has(table))) world?.events.accessChanged()
      world?.committed(written)
    }),
    engine.worlds.onChanged((name, event) => {
      if (!cache.isOwn(name))
        follow(name, event).catch((error: unknown) => options.onError(error, { of: event, world: name }))
    }),
  ]

  const api: Worlds = {
    home,
    memory,
    ...credentialCheck({
      cache,
      home,
      rows: options.rows,
      make,
      onUsed(world) {
        world.used_at = wall()
        engine.worlds.used(world.name, world.used_at)
      },
    }),
    get: (name) => cache.get(name),
    all: () => [...cache.all()],
    make,
    reset: (name) => replaceRows(name, ({ template }) => beginning(template)),
    replace: (name, rows) => replaceRows(name, () => rows),
    async drop(name) {
      const world = await cache.coming(name)
      if (!world || name === home) return
      world.close(REMOVED)
      cache.delete(name)
      try {
        await cache.asOwn(name, () => engine.worlds.drop(name))
      } catch (error) {
        cache.putBack(world)
        throw error
      }
      await forget(world)
    },
    async dropIdle(ttl) {
      const dropped = []
      const slice = sliceOf(home)
      for (const world of cache.all()) {
        if (!isUnused(world, ttl)) continue
        if (slice.over) await slice.next()
        if (!isUnused(world, ttl) || !(await owesNothing(world, ttl))) continue
        if (!(await isUnusedAnywhere(world, ttl))) continue
        await api.drop(world.name)
        dropped.push(world.name)
      }
      return dropped
    },
    reread() {
      for (const world of cache.all()) world.keys.clear()
    },
    dump: (name) => store.dump(name),
    onReplaced: (listener) => void listeners.add(listener),
    close(why) {
      for (const world of cache.all()) {
        world.events.close()
        world.endWaiting(why)
      }
    },
    stop() {
      for (const stop of stopListening) stop()
    },
  }

  for (const name of await engine.worlds.names()) {
    const world = await cache.hold(name, cache.adopt(name))
    // A world made on request has a password of its own.
    if (!world.template) for (const key of options.rows.apiKeys ?? []) await takeKey(world, key, home)
  }
  if (!cache.coming(home)) await make(home)
  return api
}
