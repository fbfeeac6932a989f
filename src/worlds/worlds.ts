import type { Clock, ClockState, Wall } from '../clock.ts'
import type { Settings } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import { MOST_NAMES } from '../engine/counters.ts'
import type { WorldDirectory } from '../engine/directory.ts'
import type { Engine } from '../engine/engine.ts'
import type { OnError } from '../listeners.ts'
import { TooManyWorlds } from '../engine/world-registry.ts'
import type { Moment, WorldRows } from '../store/store.ts'
import { bytesOf } from '../store/world.ts'
import { Budget, type Limits, ratesOf } from './budget.ts'
import { credentialCheck, type Principal, takeKey } from './credentials.ts'
import { idleWorlds } from './idle-worlds.ts'
import { createMemory, type Memory } from './memory.ts'
import { openDirectory } from './open-directory.ts'
import { changedSettings } from './settings.ts'
import { firstRows, type Guest, type WorldTemplate, withLife } from './template.ts'
import type { World, WorldOptions } from './world.ts'
import { WorldCache } from './world-cache.ts'
import { type Replaced, WorldLifecycle } from './world-lifecycle.ts'

export interface Worlds {
  /** The default world's name. */
  readonly home: string
  /** As `Store.moment`. */
  moment(): Moment
  /**
   * The world and user behind an API key pair, or undefined when it is not one. Makes a disposable world.
   * @param since the moment whose keys are late enough; now when left out
   */
  authenticate(username: string, password: string, since?: Moment): Promise<Principal | undefined>
  /** The same at once, without a look at the rows, when the key is known already; undefined: `authenticate` tells. */
  recognize(username: string, password: string): Principal | undefined
  /** When a key ended, in words, for whoever has its password; undefined for who has none that ever was right, or one that still is. */
  endOf(username: string, password: string): Promise<string | undefined>
  /** A world that is open here. */
  get(name: string): World | undefined
  /** A world that is there, by name; opens it where it is not open. */
  find(name: string): Promise<World | undefined>
  /** Those that are open here. */
  all(): readonly World[]
  /** The names of all that are there. */
  names(): Promise<readonly string[]>
  /** Calls `listener` when a world was opened that was there before. */
  onOpened(listener: (world: World) => void): void
  /** Closes worlds that stay there, as `WorldCache.closeUnused`; never the default one. */
  closeUnused: WorldCache['closeUnused']
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
  /** Forgets those that nobody called for their time, when room is needed; at most once a second. */
  makeRoom(): Promise<void>
  /** Forgets what it remembers of rows; after some were taken back. */
  reread(): void
  /** What the worlds that are open here take together. */
  readonly memory: Memory
  /** Tells of all worlds, open or not. */
  readonly directory: WorldDirectory
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
  /** The same of worlds for people who are not known. */
  readonly guestLimits: Limits
  /** How long such a world lives after its last call, milliseconds. */
  readonly guestTtl: (guest: Guest) => number
  /** What all worlds may take together, bytes. */
  readonly maxMemory: number
  readonly onSpent: NonNullable<WorldOptions['onSpent']>
}

/** Tables that say who may do what. */
const ACCESS: ReadonlySet<string> = new Set(['apiKeys', 'users', 'roles'])

/** Opens the worlds that the engine has and makes the default one when it is missing. */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { engine, home, wall, most } = options
  const { store } = engine
  const names = Math.max(options.most, MOST_NAMES)
  const rates = ratesOf(engine.counters, options.limits, names)
  const guestRates = ratesOf(engine.counters, options.guestLimits, names, 'guest')
  const cache = new WorldCache({
    ...options,
    rates,
    guestRates,
    async onAdopted(world) {
      // A world made on request has a password of its own.
      if (!world.template) for (const key of options.rows.apiKeys ?? []) await takeKey(world, key, home)
    },
  })
  const directory = engine.directory ?? openDirectory(cache, engine.worlds, home)
  const lifecycle = new WorldLifecycle(cache, engine, options.onError)
  const memory = createMemory(options.maxMemory, wall, () => cache.all())

  const first = (template: WorldTemplate | undefined, at: number) => firstRows(options.rows, template, at)

  const limitsOf = ({ guest }: WorldTemplate) => (guest ? options.guestLimits : options.limits)

  /** The rows that a world begins with, and what is made up beside them. */
  const beginning = async (name: string, template: WorldTemplate | undefined) => {
    const at = template?.clock?.world_anchor ?? wall()
    const rows = first(template, at)
    if (!template?.populate) return rows
    const { populated } = await import('./populate/populate.ts')
    return populated(rows, template.populate, {
      world: name,
      at,
      settings: changedSettings(options.settings(), template.settings),
      secret: options.secret,
      requireRoom: (bytes) => new Budget(limitsOf(template), wall).require('rows', 0, bytes),
    })
  }

  const drop = async (name: string) => {
    if (name !== home) await lifecycle.drop(name)
  }
  const idle = idleWorlds({ cache, directory, home, wall, guestTtl: options.guestTtl, drop })
  const tooMany = () =>
    new ServiceError(
      'resource_exhausted',
      `there are ${most} worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS`,
    )

  const make = async (name: string, template?: WorldTemplate) => {
    // Those that are open say nothing of how many there are where others open some too.
    const isFull = () => !cache.isRemote && cache.size >= most
    if (isFull()) await idle.makeRoom(options.ttl)
    // Another first request of the same world may have been quicker.
    const known = cache.coming(name)
    if (known) return known
    if (isFull()) throw tooMany()
    memory.requireRoom()
    // Nobody else makes a world that somebody asked to be populated: its name is drawn.
    const begun = template?.populate
      ? await beginning(name, template)
      : first(template, template?.clock?.world_anchor ?? wall())
    const rows = withLife(begun, name === home ? undefined : options.life(lifecycle.dropped))
    if (template) new Budget(limitsOf(template), wall).require('rows', 0, bytesOf(rows))
    const create = () =>
      engine.worlds.create(name, rows, { at: wall(), ...(cache.isRemote && name !== home && { most }) })
    const making = cache.asOwn(name, () =>
      create().catch(async (error: unknown) => {
        if (!(error instanceof TooManyWorlds)) throw error
        await idle.makeRoom(options.ttl)
        return create().catch((again: unknown) =>
          Promise.reject(again instanceof TooManyWorlds ? tooMany() : again),
        )
      }),
    )
    // So may one of another sandbox: its rows stay.
    const enter = async (made: boolean) =>
      made ? cache.enter(name, rows, undefined, await directory.entry(name)) : cache.adopt(name)
    return cache.hold(name, making.then(enter))
  }

  const stopFollowing = store.onCommit((name, written) => {
    const world = cache.get(name)
    if (written.some(({ table }) => table === 'apiKeys')) world?.keys.clear()
    if (written.some(({ table }) => ACCESS.has(table))) world?.events.accessChanged()
    world?.committed(written)
  })

  const api: Worlds = {
    home,
    memory,
    directory,
    ...credentialCheck({
      cache,
      home,
      wall,
      rows: options.rows,
      make,
      onUsed(world, key) {
        const now = wall()
        world.used_at = now
        engine.worlds.used(world.name, now)
        if (world.notesKey(key, now)) engine.worlds.keyUsed(world.name, key, now)
      },
    }),
    moment: () => store.moment(),
    get: (name) => cache.get(name),
    find: (name) => cache.find(name),
    onOpened: (listener) => cache.onOpened(listener),
    closeUnused: (isUnused) =>
      cache.closeUnused((world, found) => world.name !== home && isUnused(world, found)),
    all: () => [...cache.all()],
    names: async () => (cache.isRemote ? engine.worlds.names() : [...cache.all()].map(({ name }) => name)),
    make,
    async reset(name) {
      const before = await cache.find(name)
      const rows = await beginning(name, before?.template)
      return lifecycle.replace(name, () => rows)
    },
    replace: (name, rows) => lifecycle.replace(name, () => rows),
    drop,
    dropIdle: idle.dropIdle,
    makeRoom: () => idle.makeRoom(options.ttl),
    reread() {
      for (const world of cache.all()) world.keys.clear()
    },
    dump: (name) => store.dump(name),
    onReplaced: (listener) => lifecycle.onReplaced(listener),
    close(why) {
      for (const world of cache.all()) {
        world.events.close()
        world.endWaiting(why)
      }
    },
    stop() {
      stopFollowing()
      lifecycle.stop()
    },
  }

  // Where others have worlds open too, each is opened when it is needed.
  const opened = cache.isRemote ? [home] : await engine.worlds.names()
  for (const name of opened) if (await engine.worlds.has(name)) await cache.open(name)
  if (!cache.coming(home)) await make(home)
  return api
}
