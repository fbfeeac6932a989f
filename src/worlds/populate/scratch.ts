import type { Settings, Tx } from '../../service/domain/context.ts'
import type { Random } from '../../lib/random/random.ts'
import { worldOf, type WorldTables } from '../../storage/store/world.ts'
import { WorldChange } from '../../storage/store/change.ts'
import type { WorldRows } from '../../storage/store/store.ts'

/**
 * A world that nobody knows of yet, in which time is whatever is said: a past is made in it by the same rules as any present. What
 * happens later is done by whoever makes it, so that no work is owed in it.
 */
export class Scratch {
  readonly #world: WorldTables
  readonly #settings: Settings
  readonly #random: Random

  constructor(rows: WorldRows, settings: Settings, random: Random) {
    this.#world = worldOf(rows)
    this.#settings = settings
    this.#random = random
  }

  /** What its rows take. */
  get bytes(): number {
    return this.#world.bytes
  }

  /** A change at a time, whole or not at all. */
  change<T>(at: number, work: (tx: Tx) => T): T {
    const rows = new WorldChange(this.#world)
    try {
      const done = work({ rows, now: at, random: this.#random, settings: this.#settings })
      for (const job of rows.walk('jobs', 'due', 0, { offset: 0, limit: 100 })) rows.delete('jobs', job.id)
      return done
    } catch (error) {
      rows.undo()
      throw error
    } finally {
      rows.end()
    }
  }

  rows(): WorldRows {
    return this.#world.rows()
  }
}
