/** Real time in milliseconds since the epoch; a parameter so that tests can control it. */
export type Wall = () => number

export const systemWall: Wall = () => Date.now()

/** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
export function later(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** Waits for `ms` milliseconds of real time, or until the signal is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      stop()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const stop = later(ms, end)
    signal?.addEventListener('abort', end)
  })

/** How a world's time follows real time: `world = world_anchor + (wall - real_anchor) * speed`. */
export interface ClockState {
  readonly real_anchor: number
  readonly world_anchor: number
  /** 1 is real time, 60 is an hour per minute, 0 is stopped. */
  readonly speed: number
}

/**
 * Creates a world's clock, which shows real time by default.
 * @param date - The machine's clock, if different.
 */
export const createClock = (wall: Wall, state?: ClockState, date: Wall = wall) =>
  new WorldClock(wall, date, state ?? { real_anchor: 0, world_anchor: 0, speed: 1 })

export type Clock = WorldClock

/** The clock of one world. Times are milliseconds since the epoch. It stops at the last possible time. */
class WorldClock {
  /** Real time for timers, which never goes back. */
  readonly wall: Wall
  /** The machine's clock, for the date of signatures. */
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
    const { world_anchor, real_anchor, speed } = this.#state
    return boundedTime(Math.floor(world_anchor + (this.wall() - real_anchor) * speed))
  }

  /** Returns when the world reaches `time` in real time, or Infinity if its clock is stopped. */
  wallTimeOf(time: number): number {
    const missing = time - this.now()
    if (missing <= 0) return this.wall()
    const { speed } = this.#state
    return speed === 0 || time > LAST_TIME ? Infinity : this.wall() + missing / speed
  }

  freeze(time = this.now()): void {
    this.#anchor(time, 0)
  }

  run(speed: number): void {
    this.#anchor(this.now(), speed)
  }

  /** Jumps to `time` without changing the speed. */
  set(time: number): void {
    this.#anchor(time, this.#state.speed)
  }

  follow(state: ClockState): void {
    this.#state = state
  }

  #anchor(time: number, speed: number): void {
    this.#state = { real_anchor: this.wall(), world_anchor: time, speed }
  }
}

/** The first and last time of a world, milliseconds: years on the wire have four digits. */
export const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z')
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns the closest time that a world can have. */
export const boundedTime = (time: number): number =>
  time > LAST_TIME ? LAST_TIME : time >= FIRST_TIME ? time : FIRST_TIME
