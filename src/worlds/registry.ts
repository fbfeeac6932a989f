import type { Populate, Seed } from '../generated/control/types.ts'
import type { Clock, ClockState } from '../lib/clock/clock.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Secrets } from '../lib/random/random.ts'
import { MOST_NAMES } from '../storage/engine/shared-state.ts'
import type { WorldDirectory } from '../storage/engine/worlds.ts'
import type { ApiKeyRow } from '../storage/store/rows.ts'
import type { Moment, WorldRows } from '../storage/store/store.ts'
import { ratesOf } from './budget.ts'
import { idleWorlds, openDirectory, WorldCache } from './cache.ts'
import { credentialCheck, hashDrawn, type Principal, takeKey } from './credentials.ts'
import { hashKeys, keyRows, withoutPasswords } from './seeds.ts'
import { type MakerOptions, type Replaced, WorldLifecycle, WorldMaker } from './lifecycle.ts'
import { createMemory, type Memory } from './memory.ts'
import type { Guest, SettingsChange, WorldTemplate } from './settings.ts'
import type { World, WorldOptions } from './world.ts'

export interface Worlds {
  /** The default world's name. */
  readonly home: string
  /** As `Store.moment`. */
  moment(): Moment
  /**
   * The world and user behind an API key pair, or undefined when it is not one. Makes a disposable world.
   * @param since the moment whose keys are late enough; now when left out
   */
  authenticate(
    username: string,
    password: string,
    since?: Moment,
    /** Whether a password that takes a hash to compare counts as wrong. */
    onlyKnown?: boolean,
  ): Promise<Principal | undefined>
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
  replace(name: string, rows: WorldRows, since?: number): Promise<World>
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

export interface WorldsOptions extends MakerOptions {
  /** @param saved how the world's clock went when the sandbox was closed */
  readonly newClock: (saved?: ClockState) => Clock
  readonly seed: string
  /** Takes what listeners throw. */
  readonly onError: OnError
  readonly journalSize: number
  /** How long a disposable world lives after its last call, milliseconds. */
  readonly ttl: number
  /** The same of a world for people who are not known. */
  readonly guestTtl: (guest: Guest) => number
  /** What all worlds may take together, bytes. */
  readonly maxMemory: number
  /** Returns the bytes that the heap has grown by since the start, in a process that has nothing but the worlds in it. */
  readonly heapGrowth?: (() => number) | undefined
  readonly onSpent: NonNullable<WorldOptions['onSpent']>
}

/** Tables that say who may do what. */
const ACCESS: ReadonlySet<string> = new Set(['apiKeys', 'users', 'roles'])

/** Opens the worlds that the engine has and makes the default one when it is missing. */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { engine, home, wall } = options
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
  const memory = createMemory(options.maxMemory, wall, () => cache.all(), options.heapGrowth)

  const drop = async (name: string) => {
    if (name !== home) await lifecycle.drop(name)
  }
  const idle = idleWorlds({ cache, directory, home, wall, guestTtl: options.guestTtl, drop })
  const makeRoom = () => idle.makeRoom(options.ttl)
  const maker = new WorldMaker(options, { cache, lifecycle, directory, memory, makeRoom })

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
      make: (name) => maker.make(name),
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
    make: (name, template) => maker.make(name, template),
    async reset(name) {
      const before = await cache.find(name)
      const rows = await maker.rowsOf(name, before?.template)
      return lifecycle.replace(name, () => rows)
    },
    replace: (name, rows, since) => lifecycle.replace(name, () => rows, since),
    drop,
    dropIdle: idle.dropIdle,
    makeRoom,
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
  if (!cache.coming(home)) await maker.make(home)
  return api
}

export interface NewWorld {
  /** The world whose owner asks for it. */
  readonly parent: World
  readonly seed?: Seed | undefined
  readonly settings?: SettingsChange | undefined
  readonly clock?: ClockState | undefined
  readonly populate?: Populate | undefined
  readonly guest?: Guest | undefined
}

/** An API key with the password that is never shown again. */
export interface Credentials {
  readonly username: string
  readonly password: string
  readonly user_id: number
  readonly default_account_id: number
}

/** Requests that one password of a seed counts as: hashing it takes some 50 ms of a processor. */
const PASSWORD_COST = 10

/** @throws RateLimited */
async function countPasswords({ budget }: World, { api_keys }: Seed): Promise<void> {
  for (let n = 0; n < api_keys.length * PASSWORD_COST; n++) await budget.take('requests')
}

/**
 * Makes a world whose keys only it has: names end in the world's own suffix, passwords are new unless its seed has
 * them.
 * @param rows of the process's seed
 * @throws ServiceError 429 when there are too many worlds
 */
export async function makeWorld(
  { worlds, secrets, rows }: { worlds: Worlds; secrets: Secrets; rows: WorldRows },
  { parent, seed, settings, clock, populate, guest = parent.template?.guest }: NewWorld,
): Promise<{ world: World; api_keys: readonly Credentials[] }> {
  if (seed) await countPasswords(parent, seed)
  const suffix = await freeSuffix(worlds, secrets)
  const passwords = seed ? seed.api_keys.map(({ password }) => password) : rows.apiKeys!.map(() => secrets())
  const api_keys: readonly ApiKeyRow[] = seed
    ? keyRows(seed.api_keys, await hashKeys(seed.api_keys))
    : rows.apiKeys!.map((key, n) => ({ ...key, password_hash: hashDrawn(passwords[n]!) }))
  const world = await worlds.make(`${worlds.home}+${suffix}`, {
    parent: parent.name,
    made_at: parent.clock.wall(),
    api_keys,
    seed: seed && withoutPasswords(seed),
    settings,
    clock,
    populate,
    ...(guest && { guest }),
  })
  return {
    world,
    api_keys: api_keys.map(({ username, user_id, default_account_id }, n) => ({
      username: `${username}+${suffix}`,
      password: passwords[n]!,
      user_id,
      default_account_id,
    })),
  }
}

async function freeSuffix(worlds: Worlds, secrets: Secrets): Promise<string> {
  for (;;) {
    const suffix = `w-${secrets().slice(0, 12)}`
    if (!(await worlds.find(`${worlds.home}+${suffix}`))) return suffix
  }
}
