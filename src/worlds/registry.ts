import type { Populate, Seed } from '../generated/control/types.ts'
import type { ClockState } from '../lib/clock/clock.ts'
import type { Secrets } from '../lib/random/random.ts'
import { MOST_NAMES } from '../storage/engine/shared-state.ts'
import type { ApiKeyRow } from '../storage/store/rows.ts'
import type { WorldRows } from '../storage/store/change.ts'
import { type Limits, type Rates, ratesOf } from './budget.ts'
import { createWorldCache, openDirectory, type WorldsOptions } from './cache.ts'
import { credentialCheck, hashDrawn, takeKey } from './credentials.ts'
import { invalid } from '../service/domain/errors.ts'
import { publishRows } from './events.ts'
import { createLifecycle } from './lifecycle.ts'
import { hashKeys, keyRows, withoutPasswords } from './seeds.ts'
import type { Guest, SettingsChange } from './settings.ts'
import type { World } from './world.ts'

export type Worlds = Awaited<ReturnType<typeof openWorlds>>

/** Tables that determine access rights. */
const ACCESS: ReadonlySet<string> = new Set(['apiKeys', 'users', 'roles'])

/** Opens the worlds of the engine, and creates the default one if it is missing. */
export async function openWorlds(options: WorldsOptions) {
  const { engine, home, wall } = options
  const { store } = engine
  const names = Math.max(options.most, MOST_NAMES)
  const rates = new Map<Limits, Rates>()
  const sharedRates = (limits: Limits) => {
    const known = rates.get(limits) ?? ratesOf(engine.counters, limits, names)
    rates.set(limits, known)
    return known
  }
  const cache = createWorldCache(options, sharedRates, async (world) => {
    // A world made on request has its own keys.
    if (!world.template) for (const key of options.rows.apiKeys ?? []) await takeKey(world, key, home)
  })
  const directory = engine.directory ?? openDirectory(cache, options)
  const { stop, ...lifecycle } = createLifecycle(options, cache, directory)

  const stopFollowing = store.onCommit((name, written, version) => {
    const world = cache.get(name)
    if (!world) return
    for (const { table } of written) if (table === 'apiKeys') world.keys.clear()
    if (written.some(({ table }) => ACCESS.has(table))) world.eventListeners.accessChanged()
    world.committed(written)
    publishRows(world, written, version)
  })

  // With a shared database, worlds are opened when needed.
  const opened = cache.isRemote ? [home] : await engine.worlds.names()
  for (const name of opened) if (await engine.worlds.has(name)) await cache.open(name)
  if (!cache.coming(home)) await lifecycle.make(home)

  return {
    /** The name of the default world. */
    home,
    memory: cache.memory,
    /** Answers queries about all worlds, open or not. */
    directory,
    ...credentialCheck({
      cache,
      home,
      wall,
      rows: options.rows,
      make: lifecycle.make,
      onUsed(world, key) {
        const now = wall()
        world.used_at = now
        engine.worlds.used(world.name, now)
        if (world.shouldSaveKeyUse(key, now)) engine.worlds.keyUsed(world.name, key, now)
      },
    }),
    moment: () => store.moment(),
    /** Returns a world if it is open in this process. */
    get: cache.get,
    /** Resolves to a world, opened if necessary. */
    find: (name: string) => cache.find(name),
    onOpened: cache.onOpened,
    closeUnused: cache.closeUnused,
    /** The worlds that are open in this process. */
    all: (): readonly World[] => [...cache.all()],
    /** The names of all worlds. */
    names: async (): Promise<readonly string[]> =>
      cache.isRemote ? engine.worlds.names() : [...cache.all()].map(({ name }) => name),
    ...lifecycle,
    /** Clears cached rows, after the store has discarded writes. */
    reread() {
      for (const world of cache.all()) world.keys.clear()
    },
    dump: (name: string) => store.dump(name),
    /** Closes all event streams and rejects all waiting callers with `why`. */
    close(why: string) {
      for (const world of cache.all()) {
        world.eventListeners.close()
        world.endWaiting(why)
      }
    },
    /** Stops following the store and other processes; call it last. */
    stop() {
      stopFollowing()
      stop()
    },
  }
}

export interface NewWorld {
  /** The world whose owner requests it. */
  readonly parent: World
  readonly seed?: Seed | undefined
  readonly settings?: SettingsChange | undefined
  readonly clock?: ClockState | undefined
  readonly populate?: Populate | undefined
  readonly guest?: Guest | undefined
  readonly plan?: string | undefined
  /** The suffix of its name, and proof of who signed up; random by default. */
  readonly identity?: Identity | undefined
}

export interface Identity {
  readonly suffix: string
  readonly contact: string
}

/** The rate limit counts each password of a seed as this many requests: hashing one takes some 50 ms of CPU time. */
const PASSWORD_COST = 10

export const LINK_USED = 'this link was used, and its world exists; ask for new passwords if you lost them'

/**
 * Creates a world with its own API keys: usernames get the suffix of the world, and passwords are random unless the seed
 * contains them.
 * @param options.rows - The rows of the process's seed.
 * @throws ServiceError 429 if there are too many worlds
 */
export async function makeWorld(
  { worlds, secrets, rows }: { worlds: Worlds; secrets: Secrets; rows: WorldRows },
  { parent, seed, settings, clock, populate, identity, ...kind }: NewWorld,
) {
  const cost = seed ? seed.api_keys.length * PASSWORD_COST : 0
  for (let n = 0; n < cost; n++) await parent.budget.take('requests')
  const { guest = parent.template?.guest, plan = parent.template?.plan } = kind
  const suffix = identity?.suffix ?? (await freeSuffix(worlds, secrets))
  const passwords = seed ? seed.api_keys.map(({ password }) => password) : rows.apiKeys!.map(() => secrets())
  const api_keys: readonly ApiKeyRow[] = seed
    ? keyRows(seed.api_keys, await hashKeys(seed.api_keys))
    : rows.apiKeys!.map((key, n) => ({ ...key, password_hash: hashDrawn(passwords[n]!) }))
  const world = await worlds.make(`${worlds.home}+${suffix}`, {
    parent: parent.name,
    created_at: parent.clock.wall(),
    api_keys,
    seed: seed && withoutPasswords(seed),
    settings,
    clock,
    populate,
    ...(guest && { guest }),
    ...(plan !== undefined && { plan }),
    ...(identity && { contact: identity.contact }),
  })
  if (identity && world.template?.api_keys[0]?.password_hash !== api_keys[0]!.password_hash)
    throw invalid(LINK_USED)
  return {
    world,
    /** The keys with the passwords, which cannot be shown again. */
    api_keys: shownKeys(api_keys, passwords, world.name),
  }
}

/** Returns API keys with their passwords and the suffix of their world. */
export const shownKeys = (keys: readonly ApiKeyRow[], passwords: readonly string[], world: string) =>
  keys.map(({ username, user_id, default_account_id }, n) => ({
    username: username + world.slice(world.indexOf('+')),
    password: passwords[n]!,
    user_id,
    default_account_id,
  }))

async function freeSuffix(worlds: Worlds, secrets: Secrets): Promise<string> {
  for (;;) {
    const suffix = `w-${secrets().slice(0, 12)}`
    if (!(await worlds.find(`${worlds.home}+${suffix}`))) return suffix
  }
}
