import type { Config } from '../config/config.ts'
import {
  type ClockState,
  createClock,
  systemWall,
  type Clock,
  type Wall,
  steadyWall,
  systemMonotonic,
} from '../lib/clock/clock.ts'
import type { Log } from '../lib/log/log.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { InitialState } from './initial-state.ts'

/** The parts that all others are built on. */
export interface Base {
  readonly config: Config
  readonly engine: Engine
  readonly initial: InitialState
  readonly time: Time
  readonly log: Log
}

export type Time = ReturnType<typeof createTime>

export interface TimeOptions {
  /** The date in milliseconds. */
  readonly date?: Wall | undefined
  /** The clock that all processes sharing the engine use; by default that of this machine. */
  readonly shared?: Wall | undefined
  /** A monotonic clock in milliseconds; by default `date` if that is given. */
  readonly monotonic?: (() => number) | undefined
  /** The initial state of every world's clock; by default it follows real time. */
  readonly clock?: ClockState | undefined
}

export function createTime({ shared = systemWall, date = shared, monotonic, clock }: TimeOptions) {
  const isSystem = date === shared
  const steady = monotonic ?? (isSystem ? systemMonotonic : undefined)
  const wall = steady ? steadyWall(date, steady) : date
  return {
    wall,
    /** Whether `wall` is real time, which calendar work needs. */
    isSystem,
    /** The creation time of seed rows. */
    begin: (): number => clock?.world_anchor ?? wall(),
    newClock: (state: ClockState | undefined): Clock => createClock(wall, state ?? clock, date),
  }
}
