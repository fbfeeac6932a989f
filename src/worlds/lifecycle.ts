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
export function createLifecycle(options: WorldsOptions, cache: WorldCache, directory: WorldDirectory) {
  const { engine, guestTtl, home, life, limitsOf, most, onError, rows, secret, settings, ttl, wall } = options
  const listeners = new Listeners<Parameters<Replaced>>((error, world) =>
    onError(error, { of: 'replaced world', world }),
  )
  /** Stops following other processes. */
  const stop = engine.worlds.onChanged((name, event) => {
    if (!cache.isOwn(name))
      follow(name, event).catch((error: unknown) => onError(error, { of: event, world: name }))
  })
  /** Number of worlds dropped since the process started. */
  let drops = 0
  let swept = -Infinity
  let sweeping: Promise<unknown> | undefined

  /** Returns the initial rows of a world, with the generated history if the template requests one. */
  async function rowsOf(name: string, template: WorldTemplate | undefined): Promise<WorldRows> {
    const at = beginOf(template)
    const rows = initialRows(template, at)
    if (!template?.populate) return rows
    const { populated } = await import('./populate/populate.ts')
    return populated(rows, template.populate, {
      world: name,
      at,
      settings: changedSettings(settings(), template.settings),
      secret,
      requireRoom: (bytes) => new Budget(limitsOf(template), wall).require('rows', 0, bytes),
    })
  }

  function initialRows(template: WorldTemplate | undefined, at: number): WorldRows {
    if (!template) return rows
    const state: StateRow[] = [{ name: TEMPLATE, value: template }]
    if (template.settings) state.push({ name: SETTINGS, value: template.settings })
    if (template.clock) state.push({ name: CLOCK_STATE, value: template.clock })
    const seeded = template.seed ? seedRows(template.seed, at) : rows
    // Not a spread: V8 would keep a hidden class per object, half a kilobyte for every world.
    return Object.assign({}, seeded, { apiKeys: template.api_keys, state })
  }

  /** The creation time of everything in a seed, in milliseconds. */
  function beginOf(template: WorldTemplate | undefined): number {
    return template?.clock?.world_anchor ?? wall()
  }

  /** With a shared database only the database knows the number of worlds. */
  function isFull(): boolean {
    return !cache.isRemote && cache.size >= most
  }

  function tooMany(): ServiceError {
    return new ServiceError(
      'resource_exhausted',
      `there are ${most} worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS`,
    )
  }

  /** Stores the rows of a new world. @returns false if another process has created it, whose rows stay */
  async function store(name: string, rows: WorldRows): Promise<boolean> {
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
      throw error instanceof TooManyWorlds ? tooMany() : error
    }
  }

  /** Replaces the rows of a world. @throws Error if two rows of a table have the same key */
  async function replace(name: string, rows: WorldRows, since?: number, stored?: StoredRows): Promise<World> {
    const before = await cache.find(name)
    if (!before) throw new ServiceError('unavailable', `the world ${name} is gone`)
    // Verified receivers and reports stay, regardless of the new rows.
    const [staying, reports] = await before.read(({ rows }) => [
      STAYING.flatMap((name) => rows.get('state', name) ?? []),
      rows.below('certifications', { before: Infinity, limit: Infinity }).toReversed(),
    ])
    const current = before.template ? withPasswords(rows, before.template) : rows
    const kept = withLife(withReports(withStaying(current, staying), reports), before.life)
    return cache.hold(
      name,
      cache.asOwn(name, () => putRows(before, kept, since, stored)),
    )
  }

  async function putRows(
    before: World,
    rows: WorldRows,
    since?: number,
    stored?: StoredRows,
  ): Promise<World> {
    before.close(RESET)
    cache.hide(before.name)
    await prepareScenarios(before.name, stateIn(rows, SCENARIO_STATE))
    try {
      await engine.store.load(before.name, rows, since, stored)
    } catch (error) {
      cache.putBack(before)
      throw error
    }
    const usernames = (rows.apiKeys ?? []).map(({ username }) => username)
    await engine.worlds
      .keepKeys(before.name, usernames)
      .catch((error: unknown) => onError(error, { of: 'used keys', world: before.name }))
    return begunAnew(cache.enter(before.name, rows, before), true)
  }

  /** Drops a world; does nothing for the default world. */
  async function drop(name: string): Promise<void> {
    if (name === home) return
    const world = await cache.coming(name)
    if (!world) {
      // It may exist without being open here.
      if (cache.isRemote) await engine.worlds.drop(name)
      return
    }
    world.close(REMOVED)
    cache.remove(name)
    try {
      await cache.asOwn(name, () => engine.worlds.drop(name))
    } catch (error) {
      cache.putBack(world)
      throw error
    }
    await forget(world)
  }

  /**
   * Drops worlds without calls and without work that is due soon.
   * @param most - Milliseconds since their last call. Worlds of guests have their own time to live.
   * @returns their names
   */
  async function dropIdle(most: number): Promise<readonly string[]> {
    const dropped = []
    const slice = sliceOf(home)
    const kinds = new Set((await directory.guests()).map(({ guest }) => guest))
    for (const guest of [null, ...kinds]) {
      const ttl = guest === null ? most : guestTtl(guest)
      for (const name of await directory.unused(wall() - ttl, wall() + ttl, guest)) {
        if (slice.over) await slice.next()
        const world = cache.get(name)
        // It may have been called since.
        const isIdle =
          !world ||
          (!world.closed &&
            !world.isInUse &&
            wall() - world.used_at >= ttl &&
            (await idleUntil(world, wall() + ttl)))
        if (name === home || !isIdle) continue
        await drop(name)
        dropped.push(name)
      }
    }
    return dropped
  }

  /** Drops idle worlds to make room, at most once a second. */
  async function makeRoom(): Promise<void> {
    if (!sweeping && Math.abs(wall() - swept) >= SWEEP_INTERVAL) {
      swept = wall()
      sweeping = dropIdle(ttl)
    }
    await sweeping?.finally(() => (sweeping = undefined))
  }

  /** Follows a change by another process. */
  async function follow(name: string, event: WorldEvent): Promise<void> {
    const before = cache.get(name)
    // With a shared database, worlds are opened when needed.
    if (event === 'created') await (cache.isRemote ? undefined : cache.find(name))
    else if (before && event === 'replaced') {
      before.close(RESET)
      cache.hide(name)
      await cache.hold(
        name,
        cache.adopt(name, before).then((world) => begunAnew(world, false)),
      )
    } else if (before) {
      before.close(REMOVED)
      cache.remove(name)
      await forget(before)
    }
  }

  /** @param own - Whether this process replaced the rows: one process publishes the event for all. */
  async function begunAnew(world: World, own: boolean): Promise<World> {
    await listeners.tellInTurn(world.name, world)
    if (own) world.events.publish('reset', world.clock.now(), undefined, () => ({}))
    world.eventListeners.accessChanged()
    return world
  }

  async function forget(world: World): Promise<void> {
    drops += 1
    world.eventListeners.close()
    await listeners.tellInTurn(world.name, undefined)
  }

  return {
    stop,
    onReplaced(listener: Replaced): void {
      listeners.add(listener)
    },
    /**
     * Creates a world, or joins a concurrent creation of the same name.
     * @throws ServiceError 429 if there are too many worlds or the rows are too large, 503 if memory is short
     */
    async make(name: string, template?: WorldTemplate): Promise<World> {
      if (isFull()) await makeRoom()
      const known = cache.coming(name)
      if (known) return known
      if (isFull()) throw tooMany()
      cache.memory.requireRoom()
      // Nothing may await between here and `hold`, or two requests would create the same world. Populated worlds may: their
      // names are random, so no other request creates them.
      const begun = template?.populate
        ? await rowsOf(name, template)
        : initialRows(template, beginOf(template))
      const rows = withLife(begun, name === home ? undefined : life(drops))
      if (template) new Budget(limitsOf(template), wall).require('rows', 0, bytesOf(rows))
      const making = cache.asOwn(name, () => store(name, rows))
      return cache.hold(
        name,
        making.then(async (isNew) =>
          isNew ? cache.enter(name, rows, undefined, await directory.entry(name)) : cache.adopt(name),
        ),
      )
    },
    /** Restores the initial state: rows, ids, clock, settings and request log. Pending jobs are discarded. */
    async reset(name: string): Promise<World> {
      const before = await cache.find(name)
      return replace(name, await rowsOf(name, before?.template))
    },
    replace,
    drop,
    dropIdle,
    makeRoom,
  }
}
