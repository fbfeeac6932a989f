import type { Clock, ClockState, Wall } from '../clock.ts'
import { sliceOf } from '../clock/time-slice.ts'
import type { Caller, Settings } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import { type OnError, Listeners } from '../listeners.ts'
import { OWNER } from '../domain/roles.ts'
import { loadPatternsFor } from '../scenarios/patterns.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { ApiKeyRow } from '../store/rows.ts'
import type { Store, WorldRows } from '../store/store.ts'
import { bytesOf } from '../store/world.ts'
import { Budget, type Limits } from './budget.ts'
import { keptHash, withHash } from './key-hashes.ts'
import { createMemory, type Memory } from './memory.ts'
import { CLOCK_STATE, firstRows, type Origin, stateIn, withLife } from './origin.ts'
import { hashChosen, knownToMatch, passwordMatches } from './password.ts'
import type { World, WorldOptions } from './world.ts'
import { createWorld } from './world.ts'

/** Whose credentials were right. */
export interface Principal {
  readonly world: World
  readonly caller: Caller
}

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
  /** Makes a world of this name and origin. @throws ServiceError 429 when there are too many or it is too large, 503 without memory */
  make(name: string, origin: Origin): Promise<World>
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
}

export interface WorldsOptions {
  readonly store: Store
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

/** A disposable world's own part of the name. */
const SUFFIX = /^[\w.-]{1,64}$/

/** Opens the worlds that the store has and makes the default one when it is missing. */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { store, home, wall, most } = options
  const worlds = new Map<string, Promise<World>>()
  const open = new Map<string, World>()
  const listeners = new Listeners<Parameters<Replaced>>((error, world) =>
    options.onError(error, { of: 'replaced world', world }),
  )
  const memory = createMemory(options.maxMemory, wall, () => open.values())
  let made = 0
  let dropped = 0

  const enter = (name: string, rows: WorldRows, before?: World) => {
    const clock = options.newClock(stateIn(rows, CLOCK_STATE))
    const number = before ? before.number : ++made
    const world = createWorld({ ...options, name, number, clock, rows, kept: before })
    open.set(name, world)
    return world
  }
  const beginning = (origin?: Origin) =>
    firstRows(options.rows, origin, origin?.clock?.world_anchor ?? wall())

  /** The promise stands in the place of the world at once, so whoever comes meanwhile waits for it. */
  const hold = (name: string, making: Promise<World>) => {
    worlds.set(name, making)
    making.catch(() => {
      const known = open.get(name)
      if (known) worlds.set(name, Promise.resolve(known))
      else worlds.delete(name)
    })
    return making
  }
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
  const make = async (name: string, origin?: Origin) => {
    if (worlds.size >= most) await makeRoom()
    // Another first request of the same world may have been quicker.
    const known = worlds.get(name)
    if (known) return known
    if (worlds.size >= most)
      throw new ServiceError(
        'resource_exhausted',
        `there are ${most} worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS`,
      )
    memory.requireRoom()
    const rows = withLife(beginning(origin), name === home ? undefined : options.life(dropped))
    if (origin) new Budget(options.limits, wall).require('rows', 0, bytesOf(rows))
    return hold(
      name,
      store.load(name, rows).then(() => enter(name, rows)),
    )
  }
  const replaceRows = async (name: string, rowsOf: (before: World) => WorldRows) => {
    const before = await worlds.get(name)
    if (!before) throw new ServiceError('unavailable', `the world ${name} is gone`)
    const rows = withLife(rowsOf(before), before.life)
    const replacing = async () => {
      before.close('the world was reset while this request ran; send it again')
      open.delete(name)
      await loadPatternsFor(stateIn(rows, SCENARIO_STATE))
      try {
        await store.load(name, rows)
      } catch (error) {
        before.reopen()
        open.set(name, before)
        throw error
      }
      const world = enter(name, rows, before)
      await listeners.tellInTurn(name, world)
      world.events.publish('reset', world.clock.now(), undefined, () => ({}))
      world.events.accessChanged()
      return world
    }
    return hold(name, replacing())
  }
  const isUnused = (world: World, ttl: number) =>
    world.name !== home && !world.closed && wall() - world.used_at >= ttl
  const owesNothing = async (world: World, ttl: number) => {
    const [next] = await world.read(({ rows }) => rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 }))
    // What is due soon is worth waiting for; work of a clock that stands still never falls due.
    return !next || world.clock.wallTimeOf(next.due_at) > wall() + ttl
  }

  const knownBy = (world: World, username: string, { user_id, default_account_id }: ApiKeyRow): Principal => {
    world.used_at = wall()
    return { world, caller: { username, user_id, default_account_id } }
  }
  /**
   * Kept in the same turn in which it is read: a change of the key comes before or after both. One of an older file is not, so
   * that its password is kept anew when it is next right.
   */
  const keyOf = (world: World, user: string) =>
    world.read(({ rows }) => {
      const key = rows.get('apiKeys', user)
      if (key?.revoked_at === null && key.password_hash !== undefined) world.keys.set(user, key)
      return key
    })
  /** Finding out takes a while, in which the key may be revoked. */
  const matchesStill = async (known: World | undefined, key: ApiKeyRow, password: string) =>
    (await passwordMatches(password, keptHash(key))) &&
    (!known || (await keyOf(known, key.username))?.revoked_at === null)
  store.onCommit((name, written) => {
    const world = open.get(name)
    if (written.some(({ table }) => table === 'apiKeys')) world?.keys.clear()
    if (written.some(({ table }) => ACCESS.has(table))) world?.events.accessChanged()
    world?.committed(written)
  })

  const api: Worlds = {
    home,
    memory,
    recognize(username, password) {
      const [user, suffix] = splitUsername(username)
      const world = open.get(suffix === undefined ? home : `${home}+${suffix}`)
      const key = world?.keys.get(user)
      return world && key && knownToMatch(password, keptHash(key)) ? knownBy(world, username, key) : undefined
    },
    async authenticate(username, password) {
      const [user, suffix] = splitUsername(username)
      const name = suffix === undefined ? home : `${home}+${suffix}`
      const known = open.get(name) ?? (await worlds.get(name))
      const key = known
        ? await keyOf(known, user)
        : options.rows.apiKeys?.find((each) => each.username === user)
      if (key?.revoked_at !== null) return undefined
      const matches = knownToMatch(password, keptHash(key)) ?? (await matchesStill(known, key, password))
      if (!matches || (suffix !== undefined && !SUFFIX.test(suffix))) return undefined
      if (!known && !isOwner(options.rows, key)) return undefined
      if (known && key.password_hash === undefined) await renewHash(known, key, password)
      return knownBy(known ?? (await make(name)), username, key)
    },
    get: (name) => open.get(name),
    all: () => [...open.values()],
    make,
    reset: (name) => replaceRows(name, ({ origin }) => beginning(origin)),
    replace: (name, rows) => replaceRows(name, () => rows),
    async drop(name) {
      const world = await worlds.get(name)
      if (!world || name === home) return
      world.close('the world was removed while this request ran')
      worlds.delete(name)
      open.delete(name)
      try {
        await store.drop(name)
      } catch (error) {
        world.reopen()
        open.set(name, world)
        worlds.set(name, Promise.resolve(world))
        throw error
      }
      dropped += 1
      world.events.close()
      await listeners.tellInTurn(name, undefined)
    },
    async dropIdle(ttl) {
      const dropped = []
      const slice = sliceOf(home)
      for (const world of open.values()) {
        if (!isUnused(world, ttl)) continue
        if (slice.over) await slice.next()
        if (!isUnused(world, ttl) || !(await owesNothing(world, ttl))) continue
        await api.drop(world.name)
        dropped.push(world.name)
      }
      return dropped
    },
    reread() {
      for (const world of open.values()) world.keys.clear()
    },
    dump: (name) => store.dump(name),
    onReplaced: (listener) => void listeners.add(listener),
    close(why) {
      for (const world of open.values()) {
        world.events.close()
        world.endWaiting(why)
      }
    },
  }

  for (const name of await store.worlds()) {
    const rows = await store.dump(name)
    await loadPatternsFor(stateIn(rows, SCENARIO_STATE))
    const world = enter(name, rows)
    worlds.set(name, Promise.resolve(world))
    // A world made on request has a password of its own.
    if (!world.origin) for (const key of options.rows.apiKeys ?? []) await takeKey(world, key, home)
  }
  if (!worlds.has(home)) await make(home)
  return api
}

/** The password that the process was started with wins over the one that a kept world has; only `home` comes back. */
async function takeKey(world: World, key: ApiKeyRow, home: string): Promise<void> {
  const kept = await world.read(({ rows }) => rows.get('apiKeys', key.username))
  if ((kept && keptHash(kept) === keptHash(key)) || (!kept && key.username !== home)) return
  const revoked_at = key.username === home ? null : (kept?.revoked_at ?? null)
  await world.change(({ rows }) =>
    rows.put('apiKeys', { ...(kept ? withHash({ ...kept, ...key }, keptHash(key)) : key), revoked_at }),
  )
}

/** Keeps a password of an older file as it is kept today. */
async function renewHash(world: World, key: ApiKeyRow, password: string): Promise<void> {
  const hash = await hashChosen(password)
  await world.change(({ rows }) => {
    if (rows.get('apiKeys', key.username) === key) rows.put('apiKeys', withHash(key, hash))
  })
}

/** Of what begins with these rows, the world or a Team of it: who may only read or work there makes no worlds. */
const isOwner = ({ users = [], roles = [] }: WorldRows, { user_id }: ApiKeyRow) =>
  users.some(({ id, is_admin }) => id === user_id && is_admin) ||
  roles.some((role) => role.user_id === user_id && role.role_id === OWNER)

function splitUsername(username: string): [user: string, suffix: string | undefined] {
  const plus = username.indexOf('+')
  return plus < 0 ? [username, undefined] : [username.slice(0, plus), username.slice(plus + 1)]
}
