import type { Wall } from '../clock.ts'
import { RateLimited } from '../domain/errors.ts'

const MINUTE = 60_000

/** Of so many keys or addresses the counts are kept; then the oldest is forgotten, so that nobody can make them grow. */
const MOST_COUNTED = 10_000

/** Counts within the minutes of the wall clock, each name for itself (open-points, "General"). */
export class RateLimit {
  readonly #most: number
  readonly #wall: Wall
  readonly #what: string
  readonly #mostCounted: number
  #minute = 0
  #counts = new Map<string, number>()

  /** @param what was too much, as its refusal begins */
  constructor(most: number, wall: Wall, what: string, mostCounted = MOST_COUNTED) {
    this.#most = most
    this.#wall = wall
    this.#what = what
    this.#mostCounted = mostCounted
  }

  /** Counts one more. @throws RateLimited when this minute has had all of them */
  take(name: string): void {
    if (this.count(name) > this.#most) this.#refuse()
  }

  /** @throws RateLimited when this minute has had all of them; counts nothing */
  require(name: string): void {
    this.#turn()
    if ((this.#counts.get(name) ?? 0) >= this.#most) this.#refuse()
  }

  /** Counts one more, whatever there were; returns how many there are now. */
  count(name: string): number {
    this.#turn()
    const known = this.#counts.get(name)
    if (known === undefined && this.#counts.size >= this.#mostCounted)
      this.#counts.delete(this.#counts.keys().next().value!)
    const count = (known ?? 0) + 1
    this.#counts.set(name, count)
    return count
  }

  #turn(): void {
    const minute = Math.floor(this.#wall() / MINUTE)
    if (minute === this.#minute) return
    this.#minute = minute
    this.#counts = new Map()
  }

  #refuse(): never {
    const left = (this.#minute + 1) * MINUTE - this.#wall()
    throw new RateLimited(this.#what, Math.ceil(left / 1000))
  }
}
