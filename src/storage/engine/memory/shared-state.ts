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

/** The counts of each subject's last window. */
export class MemoryCounters implements Counters {
  readonly #windows = new Map<string, { ends: number; counts: Map<string, number> }>()

  open(of: string, { most, per = MINUTE, names = MOST_NAMES }: CounterLimit): Counter {
    const window = this.#windows.get(of) ?? { ends: -Infinity, counts: new Map<string, number>() }
    this.#windows.set(of, window)
    const countsAt = (now: number) => {
      const ends = endOfWindow(now, per)
      if (window.ends !== ends) {
        window.ends = ends
        window.counts = new Map()
      }
      return window.counts
    }
    const count = (name: string, now: number) => countsAt(now).get(name) ?? 0
    const add = (name: string, now: number) => {
      const counts = countsAt(now)
      const known = counts.get(name)
      if (known === undefined && counts.size >= names) counts.delete(counts.keys().next().value!)
      counts.set(name, (known ?? 0) + 1)
      return (known ?? 0) + 1
    }
    const take = (name: string, now: number) => {
      if (count(name, now) >= most) return window.ends - now
      add(name, now)
      return 0
    }
    return { take, add, count, look: () => undefined }
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
