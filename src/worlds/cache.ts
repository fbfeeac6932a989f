import type { Clock, ClockState, Wall } from '../lib/clock/clock.ts'
import { sliceOf } from '../lib/clock/time-slice.ts'
import { Listeners, surfaceError } from '../lib/listeners.ts'
import { prepareScenarios, SCENARIO_STATE } from '../scenarios/state.ts'
import { failingJobs, pendingJobs } from '../service/domain/context.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type {
  OwnedPage,
  OwnedQuery,
  WorldDirectory,
  WorldEntry,
  WorldRegistry,
} from '../storage/engine/worlds.ts'
import type { Moment, WorldRows } from '../storage/store/store.ts'
import type { Limits, Rates } from './budget.ts'
import { CLOCK_STATE, type Guest, openingRows, stateIn, TEMPLATE, type WorldTemplate } from './settings.ts'
import { World, type WorldOptions } from './world.ts'

export interface CacheOptions extends Omit<
  WorldOptions,
  'name' | 'limits' | 'store' | 'snapshots' | 'events' | 'journal' | 'clock' | 'number' | 'rows' | 'kept'
> {
  readonly engine: Engine
  /** @param saved how the world's clock went when it was last written down */
  readonly newClock: (saved?: ClockState) => Clock
  readonly wall: Wall
  /** Called with each world that is opened from rows which this process did not make. */
  readonly onAdopted: (world: World) => Promise<void>
  readonly limits: Limits
  /** The same of worlds for people who are not known. */
  readonly guestLimits: Limits
  readonly guestRates: Rates
}

/** The worlds that this process has open. The registry says which there are; another sandbox may make one, or drop it. */
export class WorldCache {
  readonly #options: CacheOptions
  readonly #open = new Map<string, World>()
  /** Those that are open and those that are being made, opened or replaced. */
  readonly #coming = new Map<string, Promise<World>>()
  /** When each was last asked for, milliseconds on the wall; the one that is longest ago first. */
  readonly #found = new Map<string, number>()
  readonly #opened: Listeners<[world: World]>
  /** By world, how many of the changes of its life (made, replaced, dropped) this process is making just now. */
  readonly #own = new Map<string, number>()
  #made = 0

  constructor(options: CacheOptions) {
    this.#options = options
    const { onError = surfaceError } = options
    this.#opened = new Listeners<[world: World]>((error, { name }) =>
      onError(error, { of: 'opened', world: name }),
    )
  }

  /** As `Engine.isRemote`. */
  get isRemote(): boolean {
    return this.#options.engine.isRemote ?? false
  }

  get size(): number {
    return this.#coming.size
  }

  get(name: string): World | undefined {
    return this.#open.get(name)
  }

  all(): IterableIterator<World> {
    return this.#open.values()
  }

  /** The world that is open, or will be. */
  coming(name: string): Promise<World> | undefined {
    return this.#coming.get(name)
  }

  /** A world by name, opened if need be; another process may have made it. Undefined when there is none. */
  async find(name: string, since?: Moment): Promise<World | undefined> {
    const known = this.#open.get(name) ?? this.#coming.get(name)
    if (known && !this.isRemote) return known
    if (!(await this.#options.engine.worlds.has(name, since))) return undefined
    this.#found.delete(name)
    this.#found.set(name, this.#options.wall())
    return this.#coming.get(name) ?? this.open(name)
  }

  /** Opens a world that is there. */
  open(name: string): Promise<World> {
    const opening: Promise<World> = this.adopt(name).then(async (world) => {
      try {
        await this.#options.onAdopted(world)
      } catch (error) {
        // Another process has replaced the world's rows meanwhile, and the new ones are being opened.
        const other = this.#coming.get(name)
        if (!world.closed || other === undefined || other === opening) throw error
        return other
      }
      this.#opened.tell(world)
      return world
    })
    return this.hold(name, opening)
  }

  /** Calls `listener` when a world was opened that was there before. */
  onOpened(listener: (world: World) => void): void {
    this.#opened.add(listener)
  }

  /**
   * Closes worlds that are there still.
   * @param isUnused whether nobody uses one; asked of those that were asked for longest ago first, until it answers undefined
   * @returns their names
   */
  closeUnused(isUnused: (world: World, found: number) => boolean | undefined): readonly string[] {
    const closed = []
    for (const [name, found] of this.#found) {
      const world = this.#open.get(name)
      const unused = world && isUnused(world, found)
      if (world && unused === undefined) break
      if (!this.#coming.has(name)) this.#found.delete(name)
      if (!world || !unused || !this.#options.engine.worlds.forget(name)) continue
      this.delete(name)
      closed.push(name)
    }
    return closed
  }

  /** Keeps the promise in the place of a world that is being made or opened: whoever asks for it meanwhile waits for that one. */
  hold(name: string, making: Promise<World>): Promise<World> {
    this.#coming.set(name, making)
    making.catch(() => {
      const known = this.#open.get(name)
      if (known) this.#coming.set(name, Promise.resolve(known))
      else this.#coming.delete(name)
    })
    return making
  }

  /** Opens a world whose rows are there. @param before which it takes the place of */
  async adopt(name: string, before?: World): Promise<World> {
    const rows = await this.#options.engine.store.read(name, openingRows)
    await prepareScenarios(name, stateIn(rows, SCENARIO_STATE))
    return this.enter(
      name,
      rows,
      before,
      before ? undefined : await this.#options.engine.directory?.entry(name),
    )
  }

  /**
   * @param openingState the rows that it begins with, of the table `state` at least
   * @param entry where it stands among all worlds; where none says, it is the next that this process has met
   */
  enter(name: string, openingState: WorldRows, before?: World, entry?: WorldEntry): World {
    const { engine, newClock, limits, guestLimits, rates, guestRates } = this.#options
    const clock = newClock(stateIn(openingState, CLOCK_STATE))
    const number = before?.number ?? entry?.number ?? ++this.#made
    const world = new World({
      ...this.#options,
      store: engine.store,
      snapshots: engine.snapshots,
      events: engine.events,
      journal: engine.journal,
      name,
      number,
      clock,
      rows: openingState,
      kept: before,
      ...(stateIn<WorldTemplate>(openingState, TEMPLATE)?.guest
        ? { limits: guestLimits, rates: guestRates }
        : { limits, ...(rates && { rates }) }),
    })
    if (entry?.used_at !== undefined) world.used_at = entry.used_at
    this.#open.set(name, world)
    if (!this.#found.has(name)) this.#found.set(name, this.#options.wall())
    return world
  }

  /** Lets nobody find a world while its rows are replaced. */
  hide(name: string): void {
    this.#open.delete(name)
  }

  delete(name: string): void {
    this.#open.delete(name)
    this.#coming.delete(name)
    this.#found.delete(name)
  }

  /** Opens a world again that did not go after all. */
  putBack(world: World): void {
    world.reopen()
    this.#open.set(world.name, world)
    this.#coming.set(world.name, Promise.resolve(world))
  }

  /** Makes, replaces or drops a world. Meanwhile `isOwn` says so, and what the registry tells everybody of it is not followed here. */
  async asOwn<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#own.set(name, (this.#own.get(name) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = this.#own.get(name)! - 1
      if (left > 0) this.#own.set(name, left)
      else this.#own.delete(name)
    }
  }

  /** Whether this process is changing the life of the world just now. */
  isOwn(name: string): boolean {
    return this.#own.has(name)
  }
}

/** Milliseconds between two looks for worlds that can go to make room. */
const SWEPT_EVERY = 1_000

export interface IdleOptions {
  readonly cache: WorldCache
  readonly directory: WorldDirectory
  /** The default world, which never goes. */
  readonly home: string
  readonly wall: Wall
  /** How long worlds for people who are not known live, milliseconds. */
  readonly guestTtl: (guest: Guest) => number
  readonly drop: (name: string) => Promise<void>
}

/** Drops worlds that nobody calls and in which nothing is about to happen. */
export function idleWorlds({ cache, directory, home, wall, guestTtl, drop }: IdleOptions) {
  let swept = -Infinity
  let sweeping: Promise<unknown> | undefined

  /** Somebody may have come back to one that is open here. */
  const isUnusedStill = async (world: World, ttl: number) =>
    !world.closed && !world.isInUse && wall() - world.used_at >= ttl && owesNothing(world, wall() + ttl)

  /** @param most how long nobody has called them, milliseconds; of those for guests so long as theirs live @returns their names */
  const dropIdle = async (most: number): Promise<readonly string[]> => {
    const dropped = []
    const slice = sliceOf(home)
    for (const guest of [null, 'sign-up', 'reader'] as const) {
      const ttl = guest ? guestTtl(guest) : most
      for (const name of await directory.unused(wall() - ttl, wall() + ttl, guest)) {
        if (slice.over) await slice.next()
        const world = cache.get(name)
        if (name === home || (world && !(await isUnusedStill(world, ttl)))) continue
        await drop(name)
        dropped.push(name)
      }
    }
    return dropped
  }
  return {
    dropIdle,
    /** The same to make room; whoever finds none in the next second is refused without a look at every world. */
    async makeRoom(ttl: number): Promise<void> {
      if (!sweeping && Math.abs(wall() - swept) >= SWEPT_EVERY) {
        swept = wall()
        sweeping = dropIdle(ttl)
      }
      await sweeping?.finally(() => (sweeping = undefined))
    },
  }
}

/** Tells of worlds that are all open here. @param home the default world, in whose name it takes time */
export function openDirectory(cache: WorldCache, registry: WorldRegistry, home: string): WorldDirectory {
  /** Calls `visit` with each world that stays, a slice of the event loop at a time, until it answers true. */
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
      const isUnused = ({ used_at, template }: World) =>
        used_at <= since && (template?.guest ?? null) === guest
      await each(async (world) => {
        if (!isUnused(world) || !(await owesNothing(world, until))) return
        if (((await registry.lastUsed(world.name)) ?? -Infinity) <= since) names.push(world.name)
      })
      return names
    },

    async guests() {
      return [...cache.all()].flatMap(({ template, used_at }) =>
        template?.guest ? [{ parent: template.parent, guest: template.guest, used_at }] : [],
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

/** Whether no job of a world is due by then. On a clock that stands still no job ever is. */
export async function owesNothing(world: World, until: number): Promise<boolean> {
  const [next] = await firstJob(world)
  return !next || world.clock.wallTimeOf(next.due_at) > until
}

function isOwned({ name, template, settings }: World, { owner, isHome, search }: OwnedQuery): boolean {
  const isHis = name === owner || (template ? template.parent === owner : isHome)
  return isHis && (search === '' || `${settings.name ?? ''}\n${name}`.toLowerCase().includes(search))
}

function pageOf(own: readonly World[], { before, limit }: OwnedQuery): OwnedPage {
  const older = own.filter(({ number }) => number < before)
  const page = older.slice(-limit)
  const next_before = older.length > page.length ? page[0]!.number : null
  return { names: page.map(({ name }) => name), total: own.length, next_before }
}
