import { repeat } from './after.ts'

/** The turns of Node's event loop. Declared here, because browsers import other parts of this file. */
declare const setImmediate: (work: () => void) => void

/** Real time in milliseconds since the epoch; a parameter so that tests can control it. */
export type Wall = () => number

export const systemWall: Wall = () => Date.now()

/** Calls `work` after `ms` milliseconds, until when the process stays alive. Returns a function that cancels it. */
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

/** The pace while it is ahead of real time: an hour's lead is gone after ten hours. */
const PACE = 0.9

/** Milliseconds since an arbitrary moment; never goes back. */
export const systemMonotonic = () => performance.now()

/** Returns real time for timers, which never goes back: if the machine's clock is set back, this one slows down until they meet. */
export function steadyWall(wall: Wall, monotonic: () => number): Wall {
  let said = wall()
  let steady = said
  let at = monotonic()
  return () => {
    const now = wall()
    // Most calls come within the same millisecond.
    if (now === said && steady === said) return said
    const moment = monotonic()
    steady = Math.max(now, steady + (moment - at) * PACE)
    at = moment
    said = now
    return Math.floor(steady)
  }
}

/** The machine's clocks and timers; a parameter so that tests can control them. */
export interface Ticks {
  /** Milliseconds since an arbitrary moment; never goes back. It may stop while the machine sleeps. */
  monotonic(): number
  /** Milliseconds since the epoch. */
  wall(): number
  wait(ms: number): Promise<void>
  every(ms: number, work: () => void): () => void
}

export const systemTicks: Ticks = {
  monotonic: systemMonotonic,
  wall: systemWall,
  wait: pause,
  every: repeat,
}

/**
 * Cooperative scheduling of long work: loops without a small bound run in slices, one per turn of the event loop, so that requests
 * are answered in between.
 */

/** Maximum length of a slice, milliseconds. */
const LENGTH = 8

export interface TimeSlice {
  /** Whether the slice is used up and `next` must be called. Cheap enough to check for every row. */
  readonly over: boolean
  /** Resolves when the work has its next slice, in a later turn of the event loop. Worlds take turns. */
  next(): Promise<void>
}

/** Waiting work by world; the first world has the next turn. */
const waiting = new Map<string, (() => void)[]>()
let taken = false

/**
 * Resolves with a slice, immediately if no other work has this turn's.
 * @param world - Worlds take turns, however much work each has.
 * @example
 * const slice = await timeSlice(world.name)
 * for (const row of rows) {
 *   if (slice.over) await slice.next()
 *   visit(row)
 * }
 */
export async function timeSlice(world: string): Promise<TimeSlice> {
  await turn(world)
  return sliceOf(world)
}

/** Returns a slice that begins immediately, for work that is mostly short. Later slices wait for their turn. */
export function sliceOf(world: string): TimeSlice {
  let ends = performance.now() + LENGTH
  return {
    get over() {
      return performance.now() >= ends
    },
    async next() {
      await turn(world)
      ends = performance.now() + LENGTH
    },
  }
}

export async function mapInSlices<From, To>(
  list: readonly From[],
  slice: TimeSlice,
  map: (item: From) => To,
): Promise<To[]> {
  const mapped: To[] = []
  for (const item of list) {
    if (slice.over) await slice.next()
    mapped.push(map(item))
  }
  return mapped
}

function turn(world: string): Promise<void> | undefined {
  if (!taken) return void take()
  return new Promise((resolve) => {
    const line = waiting.get(world)
    if (line) line.push(resolve)
    else waiting.set(world, [resolve])
  })
}

function take(): void {
  taken = true
  setImmediate(passOn)
}

/** Gives the next turn to the world with the longest time since its last one. */
function passOn(): void {
  taken = false
  const first = waiting.entries().next().value
  if (!first) return
  const [world, line] = first
  const resume = line.shift()!
  waiting.delete(world)
  if (line.length > 0) waiting.set(world, line)
  take()
  resume()
}

/**
 * Fairness between worlds. Requests of a single world start immediately. While several worlds have requests, each may start a few
 * per turn of the event loop; the others wait in a queue per world.
 */

/** Requests that one world may start per turn while others have requests too. */
const A_TURN = 4
/** Turns without requests of another world, after which a world no longer shares. */
const ALONE_AFTER = 64

export class FairTurns {
  /** Requests started in this turn, by world. */
  readonly #begun = new Map<string, number>()
  /** Waiting requests by world; the first world has the next turn. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** The world of the last request, and the number of turns to share. */
  #last = ''
  #shared = 0
  #isScheduled = false

  /** Returns undefined if a request may start now, or a promise that resolves when it may. */
  enter(world: string): Promise<void> | undefined {
    if (world !== this.#last) {
      if (this.#last !== '') this.#shared = ALONE_AFTER
      this.#last = world
    }
    if (this.#shared === 0) return undefined
    this.#schedule()
    const begun = this.#begun.get(world) ?? 0
    if (begun < A_TURN && !this.#waiting.has(world)) {
      this.#begun.set(world, begun + 1)
      return undefined
    }
    return new Promise((resolve) => {
      const line = this.#waiting.get(world)
      if (line) line.push(resolve)
      else this.#waiting.set(world, [resolve])
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#isScheduled = false
    this.#shared -= 1
    this.#begun.clear()
    for (const [world, line] of Array.from(this.#waiting)) {
      const beginning = line.splice(0, A_TURN)
      this.#begun.set(world, beginning.length)
      this.#waiting.delete(world)
      if (line.length > 0) this.#waiting.set(world, line)
      for (const begin of beginning) begin()
    }
    if (this.#waiting.size > 0) {
      this.#shared = Math.max(this.#shared, 1)
      this.#schedule()
    }
  }
}

/** Shared by all requests of the process. */
export const requestTurns = new FairTurns()

/** Runs work on the same key one after another, in the order of calls. */
export class KeyedMutex {
  /** The waiters for each key that is held. */
  readonly #waiting = new Map<string, Queue | undefined>()
  #whenIdle: (() => void)[] = []

  async run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const held = this.acquire(key)
    if (held) await held
    try {
      return await work()
    } finally {
      this.release(key)
    }
  }

  /** Acquires a key: synchronously if undefined is returned, else when the promise resolves. */
  acquire(key: string): Promise<void> | undefined {
    if (!this.#waiting.has(key)) {
      this.#waiting.set(key, undefined)
      return undefined
    }
    let queue = this.#waiting.get(key)
    if (!queue) this.#waiting.set(key, (queue = new Queue()))
    return new Promise((resolve) => queue.push(resolve))
  }

  isHeld(key: string): boolean {
    return this.#waiting.has(key)
  }

  release(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) return next()
    this.#waiting.delete(key)
    if (this.#waiting.size > 0 || this.#whenIdle.length === 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  async idle(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }
}

/** First in, first out. Unlike `shift` of an array, it takes constant time with many waiters. */
class Queue {
  #incoming: (() => void)[] = []
  #outgoing: (() => void)[] = []

  push(resolve: () => void): void {
    this.#incoming.push(resolve)
  }

  shift(): (() => void) | undefined {
    if (this.#outgoing.length === 0) {
      this.#outgoing = this.#incoming.reverse()
      this.#incoming = []
    }
    return this.#outgoing.pop()
  }
}
