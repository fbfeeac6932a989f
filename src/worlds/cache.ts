import { type Clock, type ClockState, type Wall, sliceOf } from '../lib/clock/clock.ts'
import { Listeners } from '../lib/listeners.ts'
import { formatBytes } from '../lib/text/bytes.ts'
import { prepareScenarios, SCENARIO_STATE } from '../scenarios/library.ts'
import { failingJobs, pendingJobs } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import type { Engine } from '../storage/engine/engine.ts'
import {
  guestKind,
  type OwnedPage,
  type OwnedQuery,
  type WorldDirectory,
  type WorldEntry,
} from '../storage/engine/worlds.ts'
import type { Moment, WorldRows } from '../storage/store/change.ts'
import type { Limits, Rates } from './budget.ts'
import { CLOCK_STATE, openingRows, stateIn, type WorldTemplate } from './settings.ts'
import { World, type WorldOptions } from './world.ts'

export interface WorldsOptions extends Pick<
  WorldOptions,
  'seed' | 'secret' | 'settings' | 'requestLogSize' | 'onError' | 'onSpent'
> {
  /** Stores the worlds; other processes may share it. */
  readonly engine: Engine
  readonly wall: Wall
  /** @param saved - The clock of a world that was opened before. */
  readonly newClock: (saved?: ClockState) => Clock
  /** The name of the default world: its owner's API username. */
  readonly home: string
  /** The initial rows of every world without its own seed. */
  readonly rows: WorldRows
  /** Returns the `life` of a new world. @param dropped - The number of worlds dropped before. */
  readonly life: (dropped: number) => string | undefined
  /** Maximum number of worlds. */
  readonly most: number
  /** How long a disposable world lives after its last call, in milliseconds. */
  readonly ttl: number
  /** @param kind - Of a world of a guest, as `guestKind` returns it. */
  readonly guestTtl: (kind: string) => number
  /** Returns the same object for worlds that share their rates. */
  readonly limitsOf: (template: WorldTemplate | undefined) => Limits
  /** Maximum memory of all worlds, in bytes. */
  readonly maxMemory: number
  /** Returns the growth of the heap since the start, in a process that only runs the sandbox. */
  readonly heapGrowth?: (() => number) | undefined
}

/** Milliseconds after a look-up in which a caller may not have used the world yet. */
const LOOKUP_GRACE = 5_000
/** The share of the memory limit above which unused worlds are closed. */
const FILLED = 0.75

export type WorldCache = ReturnType<typeof createWorldCache>

/**
 * The worlds that this process has open. Other processes may create, replace or drop worlds in the registry.
 * @param onAdopted - Called with each world whose rows this process did not create.
 */
export function createWorldCache(
  options: WorldsOptions,
  ratesOf: (limits: Limits) => Rates,
  onAdopted: (world: World) => Promise<void>,
) {
  const { engine, home, limitsOf, newClock, wall } = options
  const isRemote = engine.isRemote ?? false
  const openWorlds = new Map<string, World>()
  /** All open worlds, and those being created, opened or replaced. */
  const pending = new Map<string, Promise<World>>()
  /** The real time at which each world was last looked up, the oldest first. */
  const lookedUp = new Map<string, number>()
  const memory = createMemory(options, () => openWorlds.values())
  const openListeners = new Listeners<[world: World]>((error, { name }) =>
    options.onError(error, { of: 'opened', world: name }),
  )
  /** Number of running changes by this process to the lifecycle of each world. */
  const changing = new Map<string, number>()
  let made = 0

  /** Opens a world that exists. */
  function open(name: string): Promise<World> {
    const opening: Promise<World> = adopt(name).then(async (world) => {
      try {
        await onAdopted(world)
      } catch (error) {
        // Another process has replaced the rows meanwhile; wait for the world that is opened from the new ones.
        const other = pending.get(name)
        if (!world.closed || other === undefined || other === opening) throw error
        return other
      }
      openListeners.tell(world)
      return world
    })
    return hold(name, opening)
  }

  /** Registers a world that is being created or opened, so that other callers wait for the same promise. */
  function hold(name: string, making: Promise<World>): Promise<World> {
    pending.set(name, making)
    making.catch(() => {
      const known = openWorlds.get(name)
      if (known) pending.set(name, Promise.resolve(known))
      else pending.delete(name)
    })
    return making
  }

  /** Opens a world from its stored rows. @param before - The object that it replaces. */
  async function adopt(name: string, before?: World): Promise<World> {
    const { store, directory } = engine
    const rows = await store.read(name, openingRows)
    await prepareScenarios(name, stateIn(rows, SCENARIO_STATE))
    return enter(name, rows, before, before ? undefined : await directory?.entry(name))
  }

  /** @param rows - At least the table `state`. */
  function enter(name: string, rows: WorldRows, before?: World, entry?: WorldEntry): World {
    const world = new World({
      ...options,
      name,
      number: before?.number ?? entry?.number ?? ++made,
      clock: newClock(stateIn(rows, CLOCK_STATE)),
      rows,
      before,
      limitsOf: (template) => {
        const limits = limitsOf(template)
        return { limits, rates: ratesOf(limits) }
      },
    })
    if (entry?.used_at !== undefined) world.used_at = entry.used_at
    openWorlds.set(name, world)
    if (!lookedUp.has(name)) lookedUp.set(name, wall())
    return world
  }

  function remove(name: string): void {
    openWorlds.delete(name)
    pending.delete(name)
    lookedUp.delete(name)
  }

  return {
    memory,
    /** Whether other processes share the worlds. */
    isRemote,
    get size() {
      return pending.size
    },
    get: (name: string): World | undefined => openWorlds.get(name),
    all: (): IterableIterator<World> => openWorlds.values(),
    /** Resolves to a world that is open, or being created or opened. */
    coming: (name: string): Promise<World> | undefined => pending.get(name),
    /** Resolves to a world, opened if necessary, or to undefined if none has this name. */
    async find(name: string, since?: Moment): Promise<World | undefined> {
      const known = openWorlds.get(name) ?? pending.get(name)
      if (known && !isRemote) return known
      if (!(await engine.worlds.has(name, since))) return undefined
      lookedUp.delete(name)
      lookedUp.set(name, wall())
      return pending.get(name) ?? open(name)
    },
    open,
    /** Calls `listener` with each world that existed before and was opened. */
    onOpened(listener: (world: World) => void): void {
      openListeners.add(listener)
    },
    /**
     * Closes unused worlds without dropping them, the least recently found first, and more if there are too many or they use
     * too much memory; never the default one.
     * @param idle - Milliseconds since the last use. @param most - Number of open worlds.
     * @returns their names
     */
    closeUnused(idle: number, most: number, isIdle: (name: string) => boolean): readonly string[] {
      const { limit, used } = memory
      const now = wall()
      let excess = openWorlds.size - most
      let bytes = limit === Infinity ? 0 : used() - FILLED * limit
      const closed = []
      for (const [name, found] of lookedUp) {
        const world = name === home ? undefined : openWorlds.get(name)
        const isOld = world !== undefined && now - Math.max(found, world.used_at) >= idle
        if (world && !isOld && excess <= 0 && bytes <= 0) break
        if (!pending.has(name)) lookedUp.delete(name)
        if (!world || (!isOld && now - found < LOOKUP_GRACE) || world.isInUse || !isIdle(name)) continue
        excess -= 1
        bytes -= world.bytes
        if (!engine.worlds.forget(name)) continue
        remove(name)
        closed.push(name)
      }
      return closed
    },
    hold,
    adopt,
    enter,
    /** Makes a world unavailable while its rows are replaced. */
    hide(name: string): void {
      openWorlds.delete(name)
    },
    remove,
    /** Reopens a world that could not be replaced or dropped. */
    putBack(world: World): void {
      world.reopen()
      openWorlds.set(world.name, world)
      pending.set(world.name, Promise.resolve(world))
    },
    /** Runs a change to the lifecycle of a world. Meanwhile `isOwn` is true and the registry's notices about it are ignored. */
    async asOwn<T>(name: string, work: () => Promise<T>): Promise<T> {
      changing.set(name, (changing.get(name) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const left = changing.get(name)! - 1
        if (left > 0) changing.set(name, left)
        else changing.delete(name)
      }
    },
    isOwn: (name: string): boolean => changing.has(name),
  }
}

export type Memory = ReturnType<typeof createMemory>

/** Bytes of an empty world: its tables, indexes and listeners. */
const WORLD_BYTES = 16_384
/** Milliseconds for which a computed sum is reused. */
const SUM_AGE = 250

export const bytesOfWorld = ({ bytes, journal, events, snapshots, budget }: World): number =>
  WORLD_BYTES + bytes + journal.bytes + events.bytes + snapshots.bytes + budget.atOnce('bodies')

/** The memory of all worlds together. The sum of their budgets may exceed what the machine has. */
function createMemory(
  { maxMemory: limit, wall, heapGrowth = () => 0 }: Pick<WorldsOptions, 'maxMemory' | 'wall' | 'heapGrowth'>,
  all: () => Iterable<World>,
) {
  let sum = 0
  let summedAt = -Infinity
  const used = () => {
    // Without the cache of compiled patterns, which has its own limit and which no API call could empty.
    sum = 0
    for (const world of all()) sum += bytesOfWorld(world)
    summedAt = wall()
    return sum
  }
  return {
    /** Bytes. */
    used,
    limit,
    /** @throws ServiceError 503 if the limit is reached */
    requireRoom() {
      if (limit === Infinity) return
      if (Math.abs(wall() - summedAt) >= SUM_AGE) used()
      const taken = Math.max(sum, heapGrowth())
      if (taken < limit) return
      throw new ServiceError(
        'unavailable',
        `all worlds together use ${formatBytes(taken)} of ${formatBytes(limit)} (SANDBOX_MAX_MEMORY); free some with DELETE /sandbox/worlds/{world}, POST /sandbox/reset or DELETE /sandbox/snapshots/{id}`,
      )
    },
  }
}

/** Answers queries about all worlds when this process has all of them open. */
export function openDirectory(cache: WorldCache, { engine, home }: WorldsOptions): WorldDirectory {
  /** Calls `visit` with each world, in time slices, until it returns true. */
  const each = async (visit: (world: World) => Promise<boolean | void>) => {
    const slice = sliceOf(home)
    for (const world of cache.all()) {
      if (slice.over) await slice.next()
      if (!world.closed && (await visit(world)) === true) return
    }
  }
  return {
    count: () => cache.size,

    async origins() {
      return [...cache.all()].map(({ name, template }) => ({ name, made: template !== undefined }))
    },

    async owed() {
      const sum = { pending_jobs: 0, failing_jobs: 0 }
      await each(async (world) => {
        const [pending, failing] = await world.read(
          (look) => [pendingJobs(look), failingJobs(look).length] as const,
        )
        sum.pending_jobs += pending
        sum.failing_jobs += failing
      })
      return sum
    },

    async lag(now) {
      let most = 0
      await each(async (world) => {
        const [job] = await firstJob(world)
        if (job) most = Math.max(most, now - world.clock.wallTimeOf(job.due_at))
      })
      return most
    },

    async owned(query) {
      const own = [...cache.all()]
        .filter((world) => isOwned(world, query))
        .sort((a, b) => a.number - b.number)
      return pageOf(own, query)
    },

    async unused(since, until, guest = null) {
      const names: string[] = []
      const isUnused = ({ used_at, template }: World) => used_at <= since && guestKind(template) === guest
      await each(async (world) => {
        if (!isUnused(world) || !(await idleUntil(world, until))) return
        if (((await engine.worlds.lastUsed(world.name)) ?? -Infinity) <= since) names.push(world.name)
      })
      return names
    },

    async guests() {
      return [...cache.all()].flatMap(({ template, used_at }) =>
        template?.guest ? [{ parent: template.parent, guest: guestKind(template)!, used_at }] : [],
      )
    },

    async invited(token) {
      let found: string | undefined
      await each(async (world) => {
        if (await world.read(({ rows }) => rows.get('invites', token) !== undefined)) found = world.name
        return found !== undefined
      })
      return found
    },

    async records() {
      return [...cache.all()].map(({ name, journal }) => ({ world: name, record: journal }))
    },

    async entry() {
      return undefined
    },
  }
}

const firstJob = (world: World) =>
  world.read(({ rows }) => rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 }))

/** Whether no job of a world is due by then, in real time. While the clock is frozen no job becomes due. */
export async function idleUntil(world: World, until: number): Promise<boolean> {
  const [next] = await firstJob(world)
  return !next || world.clock.wallTimeOf(next.due_at) > until
}

function isOwned({ name, template, settings }: World, { owner, isHome, search }: OwnedQuery): boolean {
  const isOwn = name === owner || (template ? template.parent === owner : isHome)
  return isOwn && (search === '' || `${settings.name ?? ''}\n${name}`.toLowerCase().includes(search))
}

function pageOf(own: readonly World[], { before, limit }: OwnedQuery): OwnedPage {
  const older = own.filter(({ number }) => number < before)
  const page = older.slice(-limit)
  const next_before = older.length > page.length ? page[0]!.number : null
  return { names: page.map(({ name }) => name), total: own.length, next_before }
}
