import type { Clock, ClockState, Wall } from '../lib/clock/clock.ts'
import type { WorldEntry } from '../storage/engine/worlds.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { Listeners, surfaceError } from '../lib/listeners.ts'
import { prepareScenarios, SCENARIO_STATE } from '../scenarios/state.ts'
import type { Moment, WorldRows } from '../storage/store/store.ts'
import type { Limits, Rates } from './budget.ts'
import { CLOCK_STATE, stateIn, TEMPLATE, type WorldTemplate } from './template.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'
import { openingRows } from './world-state.ts'
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
    const world = createWorld({
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
