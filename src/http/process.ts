import type { Wall } from '../clock.ts'
import type { Settings } from '../domain/context.ts'
import type { Secrets } from '../random.ts'
import type { WorldRows } from '../store/store.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Disturbance } from './disturbance.ts'

/** What handlers of the control API steer beside the caller's world. */
export interface Process {
  readonly worlds: Worlds
  /** What a world without a seed of its own starts with. */
  readonly rows: WorldRows
  readonly secrets: Secrets
  readonly disturbance: Disturbance
  readonly defaults: Defaults
  readonly wall: Wall
  /** When it started, milliseconds on the wall. */
  readonly started_at: number
  readonly version: string
  /** The version of Node.js. */
  readonly node: string
  /** Resident memory in bytes. */
  readonly memory: () => number
  /** Ends the process as a signal would; nothing when it is not ours to end. */
  readonly stop: () => void
}

/** Settings of the worlds that have not chosen their own. */
export interface Defaults {
  readonly current: Settings
  change(change: Partial<Settings>): void
  reset(): void
}

export function createDefaults(initial: Settings): Defaults {
  let current = initial
  return {
    get current() {
      return current
    },
    change: (change) => void (current = { ...current, ...change }),
    reset: () => void (current = initial),
  }
}
