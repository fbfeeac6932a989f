import type { Wall } from '../lib/clock/clock.ts'
import { Listeners, type OnError } from '../lib/listeners.ts'
import { prepareScenarios, SCENARIO_STATE } from '../scenarios/state.ts'
import type { Settings } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { TooManyWorlds, type WorldDirectory } from '../storage/engine/worlds.ts'
import type { StateRow } from '../storage/store/rows.ts'
import type { WorldEvent, WorldRows } from '../storage/store/store.ts'
import { bytesOf } from '../storage/store/world.ts'
import { Budget, type Limits } from './budget.ts'
import type { Memory } from './memory.ts'
import { seedRows } from './seeds.ts'
import {
  changedSettings,
  CLOCK_STATE,
  SETTINGS,
  stateIn,
  STAYING,
  TEMPLATE,
  withLife,
  withReports,
  withStaying,
  type WorldTemplate,
} from './settings.ts'
import type { WorldCache } from './cache.ts'
import type { World } from './world.ts'

/** Told when a world's rows were replaced (with the world that has them now) or dropped (with none). */
export type Replaced = (name: string, world: World | undefined) => void | Promise<void>

/** What is said to whoever had a world whose rows were replaced. */
const RESET = 'the world was reset while this request ran; send it again'
/** The same of one that was dropped. */
const REMOVED = 'the world was removed while this request ran'

/** Lets worlds have other rows, or go, and follows where another sandbox over the engine did so. */
export class WorldLifecycle {
  readonly #cache: WorldCache
  readonly #engine: Engine
  readonly #listeners: Listeners<Parameters<Replaced>>
  readonly #stop: () => void
  readonly #onError: OnError
  #dropped = 0

  constructor(cache: WorldCache, engine: Engine, onError: OnError) {
    this.#cache = cache
    this.#engine = engine
    this.#onError = onError
    this.#listeners = new Listeners<Parameters<Replaced>>((error, world) =>
      onError(error, { of: 'replaced world', world }),
    )
    this.#stop = engine.worlds.onChanged((name, event) => {
      if (!cache.isOwn(name))
        this.#follow(name, event).catch((error: unknown) => onError(error, { of: event, world: name }))
    })
  }

  /** How many worlds were dropped since the process began. */
  get dropped(): number {
    return this.#dropped
  }

  onReplaced(listener: Replaced): void {
    this.#listeners.add(listener)
  }

  /** Follows what is kept no more. */
  stop(): void {
    this.#stop()
  }

  /** Puts other rows in the place of a world's. @param since as `Store.load` takes it @throws Error when two rows of a table have one key */
  async replace(name: string, rowsOf: (before: World) => WorldRows, since?: number): Promise<World> {
    const before = await this.#cache.find(name)
    if (!before) throw new ServiceError('unavailable', `the world ${name} is gone`)
    // What a receiver has shown to the world it has shown, whatever the world has forgotten.
    const [staying, reports] = await before.read(({ rows }) => [
      STAYING.flatMap((name) => rows.get('state', name) ?? []),
      rows.below('certifications', { before: Infinity, limit: Infinity }).toReversed(),
    ])
    const rows = withLife(withReports(withStaying(rowsOf(before), staying), reports), before.life)
    return this.#cache.hold(
      name,
      this.#cache.asOwn(name, () => this.#load(before, rows, since)),
    )
  }

  async drop(name: string): Promise<void> {
    const world = await this.#cache.coming(name)
    if (!world) {
      // Where none need be open it may be there all the same.
      if (this.#cache.isRemote) await this.#engine.worlds.drop(name)
      return
    }
    world.close(REMOVED)
    this.#cache.delete(name)
    try {
      await this.#cache.asOwn(name, () => this.#engine.worlds.drop(name))
    } catch (error) {
      this.#cache.putBack(world)
      throw error
    }
    await this.#forget(world)
  }

  async #load(before: World, rows: WorldRows, since: number | undefined): Promise<World> {
    before.close(RESET)
    this.#cache.hide(before.name)
    await prepareScenarios(before.name, stateIn(rows, SCENARIO_STATE))
    try {
      await this.#engine.store.load(before.name, rows, since)
    } catch (error) {
      this.#cache.putBack(before)
      throw error
    }
    const usernames = (rows.apiKeys ?? []).map(({ username }) => username)
    await this.#engine.worlds
      .keepKeys(before.name, usernames)
      .catch((error: unknown) => this.#onError(error, { of: 'used keys', world: before.name }))
    return this.#begunAnew(this.#cache.enter(before.name, rows, before), true)
  }

  /** What another sandbox did. */
  async #follow(name: string, event: WorldEvent): Promise<void> {
    const before = this.#cache.get(name)
    // One that others have made far away is opened when it is needed.
    if (event === 'created') await (this.#cache.isRemote ? undefined : this.#cache.find(name))
    else if (before && event === 'replaced') {
      before.close(RESET)
      this.#cache.hide(name)
      await this.#cache.hold(
        name,
        this.#cache.adopt(name, before).then((world) => this.#begunAnew(world, false)),
      )
    } else if (before) {
      before.close(REMOVED)
      this.#cache.delete(name)
      await this.#forget(before)
    }
  }

  /** Says so to whoever follows the world. @param own whether by this sandbox: one tells the event, to the listeners of all */
  async #begunAnew(world: World, own: boolean): Promise<World> {
    await this.#listeners.tellInTurn(world.name, world)
    if (own) world.events.publish('reset', world.clock.now(), undefined, () => ({}))
    world.events.accessChanged()
    return world
  }

  async #forget(world: World): Promise<void> {
    this.#dropped += 1
    world.events.close()
    await this.#listeners.tellInTurn(world.name, undefined)
  }
}

export interface MakerOptions {
  /** What the worlds are kept in; others may share it. */
  readonly engine: Engine
  readonly wall: Wall
  /** The name of the default world: its owner's API username. */
  readonly home: string
  /** What every world without a seed of its own starts with. */
  readonly rows: WorldRows
  readonly settings: () => Settings
  /** What the secrets of worlds are drawn from; the seed when left out. */
  readonly secret?: string | undefined
  /** What tells a world from earlier ones of its name, when so many were dropped before it. */
  readonly life: (dropped: number) => string | undefined
  /** How many worlds there may be. */
  readonly most: number
  /** What each world may take. */
  readonly limits: Limits
  /** The same of worlds for people who are not known. */
  readonly guestLimits: Limits
}

export interface MakerParts {
  readonly cache: WorldCache
  readonly lifecycle: WorldLifecycle
  readonly directory: WorldDirectory
  readonly memory: Memory
  /** Forgets idle worlds. */
  readonly makeRoom: () => Promise<void>
}

/** Makes worlds of a name that is given, and the rows that each begins with; `new-world.ts` draws names and keys. */
export class WorldMaker {
  readonly #options: MakerOptions
  readonly #parts: MakerParts

  constructor(options: MakerOptions, parts: MakerParts) {
    this.#options = options
    this.#parts = parts
  }

  /**
   * Makes a world of this name; when somebody else is making it just now, it is that one.
   * @throws ServiceError 429 when there are too many or it is too large, 503 without memory
   */
  async make(name: string, template?: WorldTemplate): Promise<World> {
    const { home, life, wall } = this.#options
    const { cache, lifecycle, memory, makeRoom } = this.#parts
    if (this.#isFull()) await makeRoom()
    // Another first request of the same world may have been quicker.
    const known = cache.coming(name)
    if (known) return known
    if (this.#isFull()) throw this.#tooMany()
    memory.requireRoom()
    // From here to `hold` nothing may wait, or two requests would make the same world. One that is populated has a name that
    // was drawn for it, so that nobody else makes it.
    const begun = template?.populate
      ? await this.rowsOf(name, template)
      : this.#seedRows(template, this.#beginOf(template))
    const rows = withLife(begun, name === home ? undefined : life(lifecycle.dropped))
    if (template) new Budget(this.#limitsOf(template), wall).require('rows', 0, bytesOf(rows))
    const making = cache.asOwn(name, () => this.#create(name, rows))
    return cache.hold(
      name,
      making.then((isNew) => this.#open(name, rows, isNew)),
    )
  }

  /** The rows that a world begins with, and what is made up beside them where its template asks for that. */
  async rowsOf(name: string, template: WorldTemplate | undefined): Promise<WorldRows> {
    const at = this.#beginOf(template)
    const rows = this.#seedRows(template, at)
    if (!template?.populate) return rows
    const { settings, secret, wall } = this.#options
    const { populated } = await import('./populate/populate.ts')
    return populated(rows, template.populate, {
      world: name,
      at,
      settings: changedSettings(settings(), template.settings),
      secret,
      requireRoom: (bytes) => new Budget(this.#limitsOf(template), wall).require('rows', 0, bytes),
    })
  }

  #seedRows(template: WorldTemplate | undefined, at: number): WorldRows {
    return firstRows(this.#options.rows, template, at)
  }

  /** When everything of a seed was made, milliseconds. */
  #beginOf(template: WorldTemplate | undefined): number {
    return template?.clock?.world_anchor ?? this.#options.wall()
  }

  #limitsOf({ guest }: WorldTemplate): Limits {
    return guest ? this.#options.guestLimits : this.#options.limits
  }

  /** Where other processes open worlds too, those that are open here say nothing of how many there are. */
  #isFull(): boolean {
    const { cache } = this.#parts
    return !cache.isRemote && cache.size >= this.#options.most
  }

  #tooMany(): ServiceError {
    return new ServiceError(
      'resource_exhausted',
      `there are ${this.#options.most} worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS`,
    )
  }

  /** Writes the rows of a new world. @returns false when another process has made it meanwhile, whose rows stay */
  async #create(name: string, rows: WorldRows): Promise<boolean> {
    const { engine, home, wall, most } = this.#options
    const { cache, makeRoom } = this.#parts
    const limit = cache.isRemote && name !== home ? { most } : {}
    const create = () => engine.worlds.create(name, rows, { at: wall(), ...limit })
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof TooManyWorlds)) throw error
    }
    await makeRoom()
    try {
      return await create()
    } catch (error) {
      throw error instanceof TooManyWorlds ? this.#tooMany() : error
    }
  }

  async #open(name: string, rows: WorldRows, isNew: boolean): Promise<World> {
    const { cache, directory } = this.#parts
    return isNew ? cache.enter(name, rows, undefined, await directory.entry(name)) : cache.adopt(name)
  }
}

/**
 * The rows that a world made from this template begins with.
 * @param common the rows of the process's seed
 * @param at when everything of its own seed was made, milliseconds
 */
function firstRows(common: WorldRows, template: WorldTemplate | undefined, at: number): WorldRows {
  if (!template) return common
  const state: StateRow[] = [{ name: TEMPLATE, value: template }]
  if (template.settings) state.push({ name: SETTINGS, value: template.settings })
  if (template.clock) state.push({ name: CLOCK_STATE, value: template.clock })
  const seeded = template.seed ? seedRows(template.seed, at) : common
  // Of objects that are spread and given one more field, V8 keeps a shape each: half a kilobyte for every world.
  return Object.assign({}, seeded, { apiKeys: template.api_keys, state })
}
