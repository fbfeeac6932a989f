import type { Wall } from '../lib/clock/clock.ts'
import { isUrl } from '../lib/text/is-url.ts'

/** Limits concurrent work, in total and per world. Excess work waits, and worlds take turns however long their queues are. */
export class ConcurrencyLimiter {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #running = new Map<string, number>()
  /** Ordered by the last turn of each world, the longest ago first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #total = 0

  constructor(most: number, mostOfOne: number) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  get running(): number {
    return this.#total
  }

  /**
   * Calls `start` at once, or when it is the world's turn.
   * @returns a function to call when the work has ended or is no longer needed; further calls do nothing
   */
  take(world: string, start: () => void): () => void {
    let state: 'waiting' | 'running' | 'ended' = 'waiting'
    const begin = () => {
      state = 'running'
      this.#count(world, 1)
      start()
    }
    if (this.#mayStart(world)) begin()
    else this.#lineOf(world).add(begin)
    return () => {
      const before = state
      state = 'ended'
      if (before === 'waiting') this.#leave(world, begin)
      if (before !== 'running') return
      this.#count(world, -1)
      this.#next()
    }
  }

  #mayStart(world: string): boolean {
    return this.#total < this.#most && (this.#running.get(world) ?? 0) < this.#mostOfOne
  }

  #count(world: string, change: 1 | -1): void {
    this.#total += change
    const running = (this.#running.get(world) ?? 0) + change
    if (running > 0) this.#running.set(world, running)
    else this.#running.delete(world)
  }

  #lineOf(world: string): Set<() => void> {
    let line = this.#waiting.get(world)
    if (!line) this.#waiting.set(world, (line = new Set()))
    return line
  }

  #leave(world: string, begin: () => void): void {
    const line = this.#waiting.get(world)
    line?.delete(begin)
    if (line?.size === 0) this.#waiting.delete(world)
  }

  #next(): void {
    for (const [world, line] of this.#waiting) {
      if (!this.#mayStart(world)) continue
      const [begin] = line
      this.#waiting.delete(world)
      line.delete(begin!)
      if (line.size > 0) this.#waiting.set(world, line)
      return begin!()
    }
  }
}

/** Returns the share of connections of one world. */
export const limitOfOneWorld = (most: number) => Math.ceil(most / 4)

/** Maximum attempts per minute of one world at one host; also the size of a burst. */
const ATTEMPTS_A_MINUTE = 600
const MINUTE = 60_000
const MOST_KEPT = 10_000

/**
 * A token bucket per world and host, so that a public sandbox floods no host.
 * @returns a function that returns how many milliseconds an attempt must wait, and counts the attempt if it returns 0
 */
export function createHostRateLimit(
  wall: Wall,
  aMinute = ATTEMPTS_A_MINUTE,
): (world: string, target: string) => number {
  const gap = MINUTE / aMinute
  /** When the bucket is full again, by world and host. */
  const fullAt = new Map<string, number>()
  return (world, target) => {
    if (!isUrl(target)) return 0
    const key = `${world} ${new URL(target).hostname}`
    const now = wall()
    const full = Math.max(fullAt.get(key) ?? now, now)
    const wait = Math.ceil(full + gap - MINUTE - now)
    if (wait > 0) return wait
    if (fullAt.size >= MOST_KEPT) for (const [each, at] of fullAt) if (at <= now) fullAt.delete(each)
    fullAt.set(key, full + gap)
    return 0
  }
}
