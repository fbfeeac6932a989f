import { boundedTime, LAST_TIME } from './clock/bounds.ts'

/** The machine's time in milliseconds since the epoch; a parameter so that tests can hold it still. */
export type Wall = () => number

export const systemWall: Wall = () => Date.now()

/** Calls `work` once, so many milliseconds from now on the wall, unless cancelled by what it returns. */
export function later(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** How a world's time follows the wall's: `world = world_anchor + (wall - wall_anchor) * factor`. */
export interface ClockState {
  readonly wall_anchor: number
  readonly world_anchor: number
  /** 1 is real time, 60 an hour a minute, 0 stands still. */
  readonly factor: number
}

/**
 * The clock of one world. All times are milliseconds since the epoch; it stands still at the last time there is, whatever
 * its pace.
 */
export interface Clock {
  now(): number
  /** When, on the wall, the world reaches `time`; Infinity while it stands still before it. */
  wallTimeOf(time: number): number
  /** The wall's time, for whatever waits: it never goes back. */
  wall(): number
  /** What the machine's clock says: others compare a signature's time with theirs. */
  date(): number
  readonly state: ClockState
  /** Goes as this state says from now on. */
  follow(state: ClockState): void
  /** Stands still at `time` (now when left out). */
  freeze(time?: number): void
  /** Goes on from where it is, `factor` times as fast as the wall. */
  run(factor: number): void
  /** Leaps to `time`, keeping its pace. */
  set(time: number): void
}

/**
 * Makes a world's clock over the wall; without a state it shows the wall's own time.
 * @param date the machine's time, where it is another
 */
export function createClock(wall: Wall, state?: ClockState, date: Wall = wall): Clock {
  let current = state ?? { wall_anchor: 0, world_anchor: 0, factor: 1 }
  const now = () =>
    boundedTime(Math.floor(current.world_anchor + (wall() - current.wall_anchor) * current.factor))
  const anchor = (time: number, factor: number) => {
    current = { wall_anchor: wall(), world_anchor: time, factor }
  }
  return {
    now,
    wallTimeOf(time) {
      const missing = time - now()
      if (missing <= 0) return wall()
      return current.factor === 0 || time > LAST_TIME ? Infinity : wall() + missing / current.factor
    },
    wall,
    date,
    get state() {
      return current
    },
    follow: (state) => void (current = state),
    freeze: (time = now()) => anchor(time, 0),
    run: (factor) => anchor(now(), factor),
    set: (time) => anchor(time, current.factor),
  }
}
