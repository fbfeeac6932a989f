import { sliceOf } from '../lib/clock/time-slice.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import type { Generation, RowChange, Store } from '../storage/store/store.ts'

/** A job's place in time: when it is due and, among those due together, in which order it was owed. */
export interface Due {
  readonly at: number
  readonly id: number
}

/** Jobs, the first due on top: a binary heap. */
export class DueQueue<Entry extends Due = Due> {
  readonly #heap: Entry[] = []

  get first(): Entry | undefined {
    return this.#heap[0]
  }

  add(due: Entry): void {
    const heap = this.#heap
    let at = heap.push(due) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (before(heap[parent]!, due)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = due
  }

  clear(): void {
    this.#heap.length = 0
  }

  /** When the first of some is due; Infinity when there is none. */
  leastOf(isOne: (entry: Entry) => boolean): number {
    return this.#heap.reduce((least, entry) => (isOne(entry) ? Math.min(least, entry.at) : least), Infinity)
  }

  /** Takes the first out when it is due by `time`. */
  takeUntil(time: number): Entry | undefined {
    return this.first && this.first.at <= time ? this.#take() : undefined
  }

  #take(): Entry | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (heap.length === 0 || !last) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (before(last, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return top
  }
}

const before = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.id < b.id)

/**
 * Queues every job of a world's rows, those that were given up among them.
 * @returns when all are in the queue; what is due first is not known before
 */
export async function queueAll(store: Store, name: string, work: WorldWork): Promise<void> {
  const jobs = await store.read(name, (rows) => {
    work.generation = rows.generation
    return rows.below('jobs', { before: Infinity, limit: Infinity })
  })
  const slice = sliceOf(name)
  for (const { id, due_at } of jobs) {
    if (slice.over) await slice.next()
    work.queue.add({ at: due_at, id })
  }
}

/** Queues the jobs that a change owes to a world; answers whether there were any. */
export function queueWritten(written: readonly RowChange[], workOf: () => WorldWork): boolean {
  let added = false
  for (const { table, row } of written) {
    if (table !== 'jobs' || !row) continue
    const { id, due_at, failed } = row as JobRow
    if (failed?.given_up) continue
    const work = workOf()
    // On standby nothing is queued: what is owed is read from the rows when this process gets the world back.
    if (work.standbyUntil === undefined) work.queue.add({ at: due_at, id })
    added = true
  }
  return added
}

/** What one world owes and what of it is under way. A reset makes a new one, and what still runs of the old one is ignored. */
export class WorldWork {
  readonly queue = new DueQueue()
  /** Of the rows that its jobs were read from; undefined until one was. */
  generation: Generation | undefined
  /** Jobs that are being done, by id. */
  readonly running = new Map<number, Promise<string>>()
  /** The loop that runs what is due by itself, while it does. */
  draining: Promise<void> | undefined
  /** The rows of its jobs are being read: what is due first is known when all are. */
  loading: Promise<void> | undefined
  /** Someone moves the clock and runs what falls due; nothing runs by itself meanwhile. */
  timeTravel = false
  /**
   * Another runner does its jobs until then at least, milliseconds on the wall. Nothing is queued here meanwhile: what is
   * owed is read from the rows by whoever takes over.
   */
  standbyUntil: number | undefined
  /** Jobs put off until nobody moves the clock any more: time travel would come to them at once again, and for ever. */
  readonly #deferred: Due[] = []
  /** How many jobs of a series have ended: who looked something up before can tell that things have changed. */
  freed = 0
  /** Series of which a job is under way. */
  readonly #busy = new Set<string>()
  /** What waits for its series. */
  readonly #parked = new Map<string, Due[]>()
  /** Jobs that go over the network: waiting for a place or running. */
  #dispatched = 0
  #whenIdle: (() => void)[] = []

  get isUnderWay(): boolean {
    return this.timeTravel || this.#dispatched > 0 || this.running.size > 0 || this.draining !== undefined
  }

  /** Comes to a job again at a time; when someone moves the clock, only after. */
  defer(due: Due): void {
    if (this.timeTravel) this.#deferred.push(due)
    else this.queue.add(due)
  }

  endTimeTravel(): void {
    this.timeTravel = false
    for (const due of this.#deferred.splice(0)) this.queue.add(due)
  }

  isBusy(series: string): boolean {
    return this.#busy.has(series)
  }

  begin(series: string): void {
    this.#busy.add(series)
  }

  park(series: string, due: Due): void {
    const parked = this.#parked.get(series)
    if (parked) parked.push(due)
    else this.#parked.set(series, [due])
  }

  /** What waited for the series is due again, in the order it had. */
  end(series: string): void {
    this.freed++
    this.#busy.delete(series)
    for (const due of this.#parked.get(series) ?? []) this.queue.add(due)
    this.#parked.delete(series)
  }

  beginDispatch(series: string): void {
    this.begin(series)
    this.#dispatched++
  }

  endDispatch(series: string): void {
    this.end(series)
    if (--this.#dispatched > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /** Resolves when nothing goes over the network. */
  async idle(): Promise<void> {
    if (this.#dispatched > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Leaves its jobs to another runner until then. */
  standBy(until: number): void {
    this.standbyUntil = until
    this.queue.clear()
  }
}

/** The work of every world that owed some. */
export class WorldWorks implements Iterable<[name: string, work: WorldWork]> {
  /** The scheduler was closed: nothing more is begun. */
  closed = false
  readonly #works = new Map<string, WorldWork>()

  of(name: string): WorldWork {
    let work = this.#works.get(name)
    if (!work) this.#works.set(name, (work = new WorldWork()))
    return work
  }

  get(name: string): WorldWork | undefined {
    return this.#works.get(name)
  }

  forget(name: string): void {
    this.#works.delete(name)
  }

  /** Whether it is what the world owes still: the scheduler is open, and the world was not reset. */
  isCurrent(name: string, work: WorldWork): boolean {
    return !this.closed && this.#works.get(name) === work
  }

  [Symbol.iterator](): Iterator<[string, WorldWork]> {
    return this.#works.entries()
  }
}
