import type { Clock, ClockState } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import { loadPatternsFor } from '../scenarios/patterns.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { Moment, WorldRows } from '../store/store.ts'
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
  /** How much of what becomes of a world just now is this process's own doing. */
  readonly #own = new Map<string, number>()
  #made = 0

  constructor(options: CacheOptions) {
    this.#options = options
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

  /** The same, or one that another sandbox made; undefined when there is none. */
  async find(name: string, since?: Moment): Promise<World | undefined> {
    const known = this.#open.get(name) ?? this.#coming.get(name)
    if (known && !this.isRemote) return known
    if (!(await this.#options.engine.worlds.has(name, since))) return undefined
    return this.#coming.get(name) ?? this.hold(name, this.adopt(name))
  }

  /** The promise stands in the place of the world at once, so whoever comes meanwhile waits for it. */
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
    await loadPatternsFor(stateIn(rows, SCENARIO_STATE))
    return this.enter(name, rows, before)
  }

  /** @param openingState the rows that it begins with, of the table `state` at least */
  enter(name: string, openingState: WorldRows, before?: World): World {
    const { engine, newClock, limits, guestLimits, rates, guestRates } = this.#options
    const clock = newClock(stateIn(openingState, CLOCK_STATE))
    const number = before ? before.number : ++this.#made
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
    this.#open.set(name, world)
    return world
  }

  /** Shows a world no more, while its rows are replaced. */
  hide(name: string): void {
    this.#open.delete(name)
  }

  delete(name: string): void {
    this.#open.delete(name)
    this.#coming.delete(name)
  }

  /** Opens a world again that did not go after all. */
  putBack(world: World): void {
    world.reopen()
    this.#open.set(world.name, world)
    this.#coming.set(world.name, Promise.resolve(world))
  }

  /** Does what becomes of a world, of which the registry tells everybody: this process knows. */
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

  isOwn(name: string): boolean {
    return this.#own.has(name)
  }
}
