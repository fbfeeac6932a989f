import type { Clock } from '../clock.ts'
import type { Look, Settings, Tx } from '../domain/context.ts'
import type { Random } from '../random.ts'
import { createRandom } from '../random.ts'
import type { Store } from '../store/store.ts'

/** One isolated world: everything a caller can see or change, with its own time and chance. */
export interface World {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly settings: Settings
  /** Runs `work` alone in this world; keeps all of what it wrote, or nothing when it throws. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` on rows that no change touches meanwhile. */
  read<T>(work: (look: Look) => Promise<T>): Promise<T>
}

export interface WorldOptions {
  readonly name: string
  readonly store: Store
  readonly clock: Clock
  /** What chance is drawn from, together with the world's name. */
  readonly seed: string
  readonly settings: Settings
}

export function createWorld({ name, store, clock, seed, settings }: WorldOptions): World {
  const random = createRandom(`${seed}\0${name}`)
  return {
    name,
    clock,
    random,
    settings,
    change: (work) => store.change(name, (rows) => work({ rows, now: clock.now(), random, settings })),
    read: (work) => store.read(name, (rows) => work({ rows, now: clock.now(), settings })),
  }
}
