import type { Wall } from '../lib/clock/clock.ts'
import { RateLimited } from '../service/domain/errors.ts'
import { type Counter, endOfWindow, MINUTE } from '../storage/engine/shared-state.ts'
import { MemoryCounters } from '../storage/engine/memory/shared-state.ts'
/** Counts within minutes, each name for itself (open-points, "General"). */
export class RateLimit {
  readonly #most: number
  readonly #wall: Wall
  readonly #what: string
  readonly #counter: Counter

  /**
   * @param what was too much, as its refusal begins
   * @param names of how many the counts are kept
   * @param counter what counts; this process alone when left out
   */
  constructor(most: number, wall: Wall, what: string, names?: number, counter?: Counter) {
    this.#most = most
    this.#wall = wall
    this.#what = what
    this.#counter =
      counter ?? new MemoryCounters().open(what, { most, ...(names !== undefined && { names }) })
  }

  /** Counts one more; to be waited for where it answers a promise. @throws RateLimited when this minute has had all of them */
  take(name: string): void | Promise<void> {
    const wait = this.#counter.take(name, this.#wall())
    return typeof wait === 'number' ? this.#requireNone(wait) : wait.then((ms) => this.#requireNone(ms))
  }

  /** Returns the refusal when this minute has had all of them, as far as this process knows; counts nothing. */
  refusal(name: string): RateLimited | undefined {
    const now = this.#wall()
    return this.#counter.count(name, now) < this.#most
      ? undefined
      : this.#refusalFor(endOfWindow(now, MINUTE) - now)
  }

  /** Counts one more, whatever there were; returns how many there are now. */
  count(name: string): number | Promise<number> {
    return this.#counter.add(name, this.#wall())
  }

  /** @param wait until there is one again, milliseconds; 0 when there was one */
  #requireNone(wait: number): void {
    if (wait > 0) throw this.#refusalFor(wait)
  }

  #refusalFor(wait: number): RateLimited {
    return new RateLimited(this.#what, Math.ceil(wait / 1000))
  }
}
