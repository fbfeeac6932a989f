import {
  type Counter,
  type CounterLimit,
  type Counters,
  endOfWindow,
  type Locks,
  MINUTE,
  MOST_NAMES,
  type ProcessCard,
  type Processes,
  type SharedSettings,
} from '../shared-state.ts'
import { Listeners, type OnError, surfaceError } from '../../../lib/listeners.ts'
import { systemWall, type Wall } from '../../../lib/clock/clock.ts'

export class MemoryCounters implements Counters {
  readonly #windows = new Map<string, Window>()

  open(of: string, limit: CounterLimit): Counter {
    let window = this.#windows.get(of)
    if (!window) this.#windows.set(of, (window = new Window()))
    return new MemoryCounter(window, limit)
  }
}

/** The counts of the last window. */
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

/** For the sandboxes of one process. */
export function createMemoryLocks(): Locks {
  /** The time for which each work was last started. */
  const begun = new Map<string, number>()
  return {
    async runOnce(name, due_at, work) {
      if ((begun.get(name) ?? -Infinity) >= due_at) return false
      begun.set(name, due_at)
      await work()
      return true
    },
  }
}

export function createMemorySettings(onError: OnError = surfaceError): SharedSettings {
  const values = new Map<string, unknown>()
  const listeners = new Listeners<[name: string, value: unknown]>((error, setting) =>
    onError(error, { of: 'settings', setting }),
  )
  return {
    get: (name) => values.get(name),
    async look() {},
    async change(name, work) {
      const value = work(values.get(name))
      values.set(name, value)
      listeners.tell(name, value)
    },
    onChanged: (listener) => listeners.add(listener),
  }
}

export function createMemoryProcesses(wall: Wall = systemWall): Processes {
  const since = wall()
  let own: (() => ProcessCard) | undefined
  return {
    join: (card) => void (own ??= card),
    list: async () => (own ? [{ ...own(), own: true, since, seen: wall() }] : []),
  }
}
