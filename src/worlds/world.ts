import type { Clock } from '../clock.ts'
import type { Look, Settings, Tx } from '../domain/context.ts'
import type { Random } from '../random.ts'
import { createRandom } from '../random.ts'
import type { Store, Written } from '../store/store.ts'
import { Journal } from './journal.ts'

/** One isolated world: everything a caller can see or change, with its own time and chance. */
export interface World {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly settings: Settings
  readonly journal: Journal
  /** Calls `listener` after each change of this world that wrote, when it is kept. Returns how to stop. */
  onCommit(listener: (written: readonly Written[]) => void): () => void
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

/** The row of the table `state` that keeps a world's clock over a restart; its value is a ClockState. */
export const CLOCK_STATE = 'clock'

/** How many requests a world remembers. */
const JOURNAL_SIZE = 1_000

export function createWorld({ name, store, clock, seed, settings }: WorldOptions): World {
  const random = createRandom(`${seed}\0${name}`)
  return {
    name,
    clock,
    random,
    settings,
    journal: new Journal(JOURNAL_SIZE),
    onCommit: (listener) =>
      store.onCommit((world, written) => {
        if (world === name) listener(written)
      }),
    change: (work) => store.change(name, (rows) => work({ rows, now: clock.now(), random, settings })),
    read: (work) => store.read(name, (rows) => work({ rows, now: clock.now(), settings })),
  }
}
