import { ServiceError } from '../service/domain/errors.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { Listeners, type OnError } from '../lib/listeners.ts'
import { prepareScenarios, SCENARIO_STATE } from '../scenarios/state.ts'
import type { WorldEvent, WorldRows } from '../storage/store/store.ts'
import { stateIn, STAYING, withLife, withReports, withStaying } from './template.ts'
import type { World } from './world.ts'
import type { WorldCache } from './world-cache.ts'

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
