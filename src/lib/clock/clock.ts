import { boundedTime, LAST_TIME } from './bounds.ts'

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
export const createClock = (wall: Wall, state?: ClockState, date: Wall = wall): Clock =>
  new WorldClock(wall, date, state ?? { wall_anchor: 0, world_anchor: 0, factor: 1 })

class WorldClock implements Clock {
  readonly wall: Wall
  readonly date: Wall
  #state: ClockState

  constructor(wall: Wall, date: Wall, state: ClockState) {
    this.wall = wall
    this.date = date
    this.#state = state
  }

  get state(): ClockState {
    return this.#state
  }

  now(): number {
    const { world_anchor, wall_anchor, factor } = this.#state
    return boundedTime(Math.floor(world_anchor + (this.wall() - wall_anchor) * factor))
  }

  wallTimeOf(time: number): number {
    const missing = time - this.now()
    if (missing <= 0) return this.wall()
    const { factor } = this.#state
    return factor === 0 || time > LAST_TIME ? Infinity : this.wall() + missing / factor
  }

  freeze(time = this.now()): void {
    this.#anchor(time, 0)
  }

  run(factor: number): void {
    this.#anchor(this.now(), factor)
  }

  set(time: number): void {
    this.#anchor(time, this.#state.factor)
  }

  follow(state: ClockState): void {
    this.#state = state
  }

  #anchor(time: number, factor: number): void {
    this.#state = { wall_anchor: this.wall(), world_anchor: time, factor }
  }
}
