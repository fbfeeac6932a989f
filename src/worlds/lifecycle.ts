import { sliceOf } from '../lib/clock/clock.ts'
import { Listeners } from '../lib/listeners.ts'
import { prepareScenarios, SCENARIO_STATE } from '../scenarios/library.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { TooManyWorlds, type WorldDirectory } from '../storage/engine/worlds.ts'
import type { StateRow } from '../storage/store/rows.ts'
import type { StoredRows, WorldEvent, WorldRows } from '../storage/store/change.ts'
import { bytesOf } from '../storage/store/world.ts'
import { Budget } from './budget.ts'
import { seedRows } from './seeds.ts'
import {
  changedSettings,
  CLOCK_STATE,
  SETTINGS,
  stateIn,
  STAYING,
  TEMPLATE,
  withLife,
  withPasswords,
  withReports,
  withStaying,
  type WorldTemplate,
} from './settings.ts'
import { idleUntil, type WorldCache, type WorldsOptions } from './cache.ts'
import type { World } from './world.ts'

/** Called with the new world after a replacement, and with undefined after a removal. */
export type Replaced = (name: string, world: World | undefined) => void | Promise<void>

const RESET = 'the world was reset while this request ran; send it again'
const REMOVED = 'the world was removed or moved while this request ran; send it again'

/** Minimum milliseconds between two searches for idle worlds. */
const SWEEP_INTERVAL = 1_000

/** Creates, resets and drops worlds, and follows other processes that do so. */
export class WorldLifecycle {
  readonly #options: WorldsOptions
  readonly #cache: WorldCache
  readonly #directory: WorldDirectory
  readonly #listeners: Listeners<Parameters<Replaced>>
  /** Stops following other processes. */
  readonly stop: () => void
  /** Number of worlds dropped since the process started. */
  #dropped = 0
  #swept = -Infinity
  #sweeping: Promise<unknown> | undefined

  constructor(options: WorldsOptions, cache: WorldCache, directory: WorldDirectory) {
    const { engine, onError } = options
    this.#options = options
    this.#cache = cache
    this.#directory = directory
    this.#listeners = new Listeners<Parameters<Replaced>>((error, world) =>
      onError(error, { of: 'replaced world', world }),
    )
    this.stop = engine.worlds.onChanged((name, event) => {
      if (!cache.isOwn(name))
        this.#follow(name, event).catch((error: unknown) => onError(error, { of: event, world: name }))
    })
  }

  onReplaced(listener: Replaced): void {
    this.#listeners.add(listener)
  }

  /**
   * Creates a world, or joins a concurrent creation of the same name.
   * @throws ServiceError 429 if there are too many worlds or the rows are too large, 503 if memory is short
   */
  async make(name: string, template?: WorldTemplate): Promise<World> {
    const { home, life, wall, limitsOf } = this.#options
    if (this.#isFull()) await this.makeRoom()
    const known = this.#cache.coming(name)
    if (known) return known
    if (this.#isFull()) throw this.#tooMany()
    this.#cache.memory.requireRoom()
    // Nothing may await between here and `hold`, or two requests would create the same world. Populated worlds may: their
    // names are random, so no other request creates them.
    const begun = template?.populate
      ? await this.rowsOf(name, template)
      : this.#seedRows(template, this.#beginOf(template))
    const rows = withLife(begun, name === home ? undefined : life(this.#dropped))
    if (template) new Budget(limitsOf(template), wall).require('rows', 0, bytesOf(rows))
    const making = this.#cache.asOwn(name, () => this.#create(name, rows))
    return this.#cache.hold(
      name,
      making.then(async (isNew) =>
        isNew
          ? this.#cache.enter(name, rows, undefined, await this.#directory.entry(name))
          : this.#cache.adopt(name),
      ),
    )
  }

  /** Restores the initial state: rows, ids, clock, settings and request log. Pending jobs are discarded. */
  async reset(name: string): Promise<World> {
    const before = await this.#cache.find(name)
    return this.replace(name, await this.rowsOf(name, before?.template))
  }

  /** Returns the initial rows of a world, with the generated history if the template requests one. */
  async rowsOf(name: string, template: WorldTemplate | undefined): Promise<WorldRows> {
    const at = this.#beginOf(template)
    const rows = this.#seedRows(template, at)
    if (!template?.populate) return rows
    const { settings, secret, wall, limitsOf } = this.#options
    const { populated } = await import('./populate/populate.ts')
    return populated(rows, template.populate, {
      world: name,
      at,
      settings: changedSettings(settings(), template.settings),
      secret,
      requireRoom: (bytes) => new Budget(limitsOf(template), wall).require('rows', 0, bytes),
    })
  }

  #seedRows(template: WorldTemplate | undefined, at: number): WorldRows {
    const { rows } = this.#options
    if (!template) return rows
    const state: StateRow[] = [{ name: TEMPLATE, value: template }]
    if (template.settings) state.push({ name: SETTINGS, value: template.settings })
    if (template.clock) state.push({ name: CLOCK_STATE, value: template.clock })
    const seeded = template.seed ? seedRows(template.seed, at) : rows
    // Not a spread: V8 would keep a hidden class per object, half a kilobyte for every world.
    return Object.assign({}, seeded, { apiKeys: template.api_keys, state })
  }

  /** The creation time of everything in a seed, in milliseconds. */
  #beginOf(template: WorldTemplate | undefined): number {
    return template?.clock?.world_anchor ?? this.#options.wall()
  }

  /** With a shared database only the database knows the number of worlds. */
  #isFull(): boolean {
    return !this.#cache.isRemote && this.#cache.size >= this.#options.most
  }

  #tooMany(): ServiceError {
    return new ServiceError(
      'resource_exhausted',
      `there are ${this.#options.most} worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS`,
    )
  }

  /** Stores the rows of a new world. @returns false if another process has created it, whose rows stay */
  async #create(name: string, rows: WorldRows): Promise<boolean> {
    const { engine, home, wall, most } = this.#options
    const limit = this.#cache.isRemote && name !== home ? { most } : {}
    const create = () => engine.worlds.create(name, rows, { at: wall(), ...limit })
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof TooManyWorlds)) throw error
    }
    await this.makeRoom()
    try {
      return await create()
    } catch (error) {
      throw error instanceof TooManyWorlds ? this.#tooMany() : error
    }
  }

  /** Replaces the rows of a world. @throws Error if two rows of a table have the same key */
  async replace(name: string, rows: WorldRows, since?: number, stored?: StoredRows): Promise<World> {
    const before = await this.#cache.find(name)
    if (!before) throw new ServiceError('unavailable', `the world ${name} is gone`)
    // Verified receivers and reports stay, regardless of the new rows.
    const [staying, reports] = await before.read(({ rows }) => [
      STAYING.flatMap((name) => rows.get('state', name) ?? []),
      rows.below('certifications', { before: Infinity, limit: Infinity }).toReversed(),
    ])
    const current = before.template ? withPasswords(rows, before.template) : rows
    const kept = withLife(withReports(withStaying(current, staying), reports), before.life)
    return this.#cache.hold(
      name,
      this.#cache.asOwn(name, () => this.#load(before, kept, since, stored)),
    )
  }

  async #load(before: World, rows: WorldRows, since?: number, stored?: StoredRows): Promise<World> {
    const { engine, onError } = this.#options
    before.close(RESET)
    this.#cache.hide(before.name)
    await prepareScenarios(before.name, stateIn(rows, SCENARIO_STATE))
    try {
      await engine.store.load(before.name, rows, since, stored)
    } catch (error) {
      this.#cache.putBack(before)
      throw error
    }
    const usernames = (rows.apiKeys ?? []).map(({ username }) => username)
    await engine.worlds
      .keepKeys(before.name, usernames)
      .catch((error: unknown) => onError(error, { of: 'used keys', world: before.name }))
    return this.#begunAnew(this.#cache.enter(before.name, rows, before), true)
  }

  /** Drops a world; does nothing for the default world. */
  async drop(name: string): Promise<void> {
    const { engine, home } = this.#options
    if (name === home) return
    const world = await this.#cache.coming(name)
    if (!world) {
      // It may exist without being open here.
      if (this.#cache.isRemote) await engine.worlds.drop(name)
      return
    }
    world.close(REMOVED)
    this.#cache.delete(name)
    try {
      await this.#cache.asOwn(name, () => engine.worlds.drop(name))
    } catch (error) {
      this.#cache.putBack(world)
      throw error
    }
    await this.#forget(world)
  }

  /**
   * Drops worlds without calls and without work that is due soon.
   * @param most - Milliseconds since their last call. Worlds of guests have their own time to live.
   * @returns their names
   */
  async dropIdle(most: number): Promise<readonly string[]> {
    const { home, wall, guestTtl } = this.#options
    const dropped = []
    const slice = sliceOf(home)
    const kinds = new Set((await this.#directory.guests()).map(({ guest }) => guest))
    for (const guest of [null, ...kinds]) {
      const ttl = guest === null ? most : guestTtl(guest)
      for (const name of await this.#directory.unused(wall() - ttl, wall() + ttl, guest)) {
        if (slice.over) await slice.next()
        const world = this.#cache.get(name)
        // It may have been called since.
        const isIdle =
          !world ||
          (!world.closed &&
            !world.isInUse &&
            wall() - world.used_at >= ttl &&
            (await idleUntil(world, wall() + ttl)))
        if (name === home || !isIdle) continue
        await this.drop(name)
        dropped.push(name)
      }
    }
    return dropped
  }

  /** Drops idle worlds to make room, at most once a second. */
  async makeRoom(): Promise<void> {
    const { wall, ttl } = this.#options
    if (!this.#sweeping && Math.abs(wall() - this.#swept) >= SWEEP_INTERVAL) {
      this.#swept = wall()
      this.#sweeping = this.dropIdle(ttl)
    }
    await this.#sweeping?.finally(() => (this.#sweeping = undefined))
  }

  /** Follows a change by another process. */
  async #follow(name: string, event: WorldEvent): Promise<void> {
    const before = this.#cache.get(name)
    // With a shared database, worlds are opened when needed.
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

  /** @param own - Whether this process replaced the rows: one process publishes the event for all. */
  async #begunAnew(world: World, own: boolean): Promise<World> {
    await this.#listeners.tellInTurn(world.name, world)
    if (own) world.events.publish('reset', world.clock.now(), undefined, () => ({}))
    world.eventListeners.accessChanged()
    return world
  }

  async #forget(world: World): Promise<void> {
    this.#dropped += 1
    world.eventListeners.close()
    await this.#listeners.tellInTurn(world.name, undefined)
  }
}
