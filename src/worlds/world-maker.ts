import type { Wall } from '../lib/clock/clock.ts'
import type { Settings } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { TooManyWorlds, type WorldDirectory } from '../storage/engine/worlds.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { bytesOf } from '../storage/store/world.ts'
import { Budget, type Limits } from './budget.ts'
import type { Memory } from './memory.ts'
import { changedSettings } from './settings.ts'
import { firstRows, withLife, type WorldTemplate } from './template.ts'
import type { World } from './world.ts'
import type { WorldCache } from './world-cache.ts'
import type { WorldLifecycle } from './world-lifecycle.ts'
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
