import { type ClockState, createClock, systemWall, type Clock, type Wall } from '../lib/clock/clock.ts'
import { steadyWall, systemMonotonic } from '../lib/clock/steady.ts'

/** The time of a sandbox. */
export interface Time {
  /** Never goes back, as far as whoever made the sandbox can tell. */
  readonly wall: Wall
  /** It is real time, which the calendar goes by. */
  readonly isSystem: boolean
  /** When the rows of the seed begin. */
  readonly begin: () => number
  /** A world's clock; one of a world that is new starts as every world's. */
  readonly newClock: (state: ClockState | undefined) => Clock
}

export interface TimeOptions {
  /** The date, milliseconds. */
  readonly date?: Wall | undefined
  /** The time of all who share the engine, where there are others; the machine's when left out. */
  readonly shared?: Wall | undefined
  /** Milliseconds that never go back; with a date of one's own, that when left out. */
  readonly monotonic?: (() => number) | undefined
  /** How every world's clock starts; it follows the wall when left out. */
  readonly clock?: ClockState | undefined
}

export function createTime({ shared = systemWall, date = shared, monotonic, clock }: TimeOptions): Time {
  const isSystem = date === shared
  const steady = monotonic ?? (isSystem ? systemMonotonic : undefined)
  const wall = steady ? steadyWall(date, steady) : date
  return {
    wall,
    isSystem,
    begin: () => clock?.world_anchor ?? wall(),
    newClock: (state) => createClock(wall, state ?? clock, date),
  }
}
