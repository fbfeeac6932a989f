import {
  type Counter,
  type CounterLimit,
  type Counters,
  endOfWindow,
  MINUTE,
  MOST_NAMES,
} from '../counters.ts'

/** Counts of one process: nothing to clean up, no timer. */
export class MemoryCounters implements Counters {
  readonly #windows = new Map<string, Window>()

  open(of: string, limit: CounterLimit): Counter {
    let window = this.#windows.get(of)
    if (!window) this.#windows.set(of, (window = new Window()))
    return new MemoryCounter(window, limit)
  }
}

/** The counts of the window that was counted in last. */
class Window {
  ends = -Infinity
  counts = new Map<string, number>()
}

class MemoryCounter implements Counter {
  readonly #window: Window
  readonly #most: number
  readonly #per: number
  readonly #names: number

  constructor(window: Window, { most, per = MINUTE, names = MOST_NAMES }: CounterLimit) {
    this.#window = window
    this.#most = most
    this.#per = per
    this.#names = names
  }

  take(name: string, now: number): number {
    if (this.count(name, now) >= this.#most) return this.#window.ends - now
    this.add(name, now)
    return 0
  }

  add(name: string, now: number): number {
    const { counts } = this.#turn(now)
    const known = counts.get(name)
    if (known === undefined && counts.size >= this.#names) counts.delete(counts.keys().next().value!)
    const count = (known ?? 0) + 1
    counts.set(name, count)
    return count
  }

  count(name: string, now: number): number {
    return this.#turn(now).counts.get(name) ?? 0
  }

  look(): undefined {
    return undefined
  }

  #turn(now: number): Window {
    const ends = endOfWindow(now, this.#per)
    if (this.#window.ends !== ends) {
      this.#window.ends = ends
      this.#window.counts = new Map()
    }
    return this.#window
  }
}
