import { AsyncResource } from 'node:async_hooks'
import { type Wall, sliceOf } from '../lib/clock/clock.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import type { Generation, RowChange, Store } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'

/** When a job is due; jobs due together run in the order of their ids. */
export interface Due {
  readonly at: number
  readonly id: number
}

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

  /** Returns when the first matching entry is due, or Infinity if there is none. */
  leastOf(isOne: (entry: Entry) => boolean): number {
    return this.#heap.reduce((least, entry) => (isOne(entry) ? Math.min(least, entry.at) : least), Infinity)
  }

  /** Removes and returns the first entry if it is due by `time`. */
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

/** Longer waits are split, so that a jump of the machine's clock, or its waking up, is noticed within a minute. */
const LONGEST_WAIT = 60_000

export class WallTimer {
  readonly #wall: Wall
  readonly #ring: () => void
  readonly #keepsAlive: boolean
  #timer: NodeJS.Timeout | undefined
  /** When it is set to ring, or Infinity if it is not set. */
  at = Infinity
  #closed = false

  /** @param keepsAlive - Whether the timer keeps the process alive. */
  constructor(wall: Wall, ring: () => void, keepsAlive = true) {
    this.#wall = wall
    // Not in the context of the request that sets the timer.
    this.#ring = AsyncResource.bind(ring)
    this.#keepsAlive = keepsAlive
  }

  /** Sets the timer, which may ring too early. */
  ringAt(at: number): void {
    clearTimeout(this.#timer)
    this.at = at
    if (this.#closed || at === Infinity) return
    const left = Math.min(Math.max(at - this.#wall(), 0), LONGEST_WAIT)
    this.#timer = setTimeout(() => {
      this.at = Infinity
      this.#ring()
    }, left)
    if (!this.#keepsAlive) this.#timer.unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}

/** Queues the jobs that a change wrote. Returns whether there were any. */
export function queueWritten(written: readonly RowChange[], workOf: () => WorldWork): boolean {
  let added = false
  for (const { table, row } of written) {
    if (table !== 'jobs' || !row) continue
    const { id, due_at, failed } = row as JobRow
    if (failed?.abandoned) continue
    const work = workOf()
    // On standby nothing is queued: the rows are read again at its end.
    if (work.jobs !== 'standby') work.queue.add({ at: due_at, id })
    added = true
  }
  return added
}

/**
 * The jobs of one world in this process. A reset creates a new one, and what still runs of the old one is ignored.
 *
 * `jobs` is what this process knows of the world's jobs, `activity` what runs them:
 *
 * | From              | Event                                                       | To         |
 * | ----------------- | ----------------------------------------------------------- | ---------- |
 * | unread, standby   | the world is opened, or no other process owns it any longer | loading    |
 * | loading           | every job is in the queue                                   | queued     |
 * | any               | another process owns the world                              | standby    |
 * | waiting           | a job is due                                                | draining   |
 * | draining          | no job is due, or another process needs the world           | waiting    |
 * | waiting, draining | someone moves the clock                                     | travelling |
 * | travelling        | the clock has arrived                                       | waiting    |
 */
export class WorldWork {
  jobs: 'unread' | 'loading' | 'queued' | 'standby' = 'unread'
  activity: 'waiting' | 'draining' | 'travelling' = 'waiting'
  /** The end of a standby, milliseconds in real time. */
  standbyUntil = -Infinity
  /** Resolves at the end of `loading`. */
  loading: Promise<void> | undefined
  /** Resolves at the end of `draining`. */
  draining: Promise<void> | undefined
  readonly queue = new DueQueue()
  /** The generation of the rows that the jobs were read from. */
  generation: Generation | undefined
  readonly running = new Map<number, Promise<string>>()
  /** Jobs deferred until the end of time travel, which would otherwise pick them up again immediately. */
  readonly #deferred: Due[] = []
  /** Counts the series that ended, so that readers notice changes. */
  freed = 0
  /** Series with a running job. */
  readonly #busy = new Set<string>()
  /** Jobs that wait for their series. */
  readonly #parked = new Map<string, Due[]>()
  /** Number of jobs in the dispatcher, waiting or running. */
  #dispatched = 0
  #whenIdle: (() => void)[] = []

  /** Whether the jobs have to be read from the rows. */
  get isStale(): boolean {
    return this.jobs === 'unread' || this.jobs === 'standby'
  }

  get isUnderWay(): boolean {
    return this.activity !== 'waiting' || this.#dispatched > 0 || this.running.size > 0
  }

  /** Queues a job again; during time travel, only at its end. */
  defer(due: Due): void {
    if (this.activity === 'travelling') this.#deferred.push(due)
    else this.queue.add(due)
  }

  endTimeTravel(): void {
    this.activity = 'waiting'
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

  /** Queues the jobs that waited for the series, in their order. */
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

  /** Resolves when the dispatcher has no job of the world. */
  async idle(): Promise<void> {
    if (this.#dispatched > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Queues every job of the world's rows, including those given up. */
  load(store: Store, name: string): Promise<void> {
    this.jobs = 'loading'
    const finish = (state: 'unread' | 'queued') => {
      if (this.loading !== loading) return
      this.loading = undefined
      if (this.jobs === 'loading') this.jobs = state
    }
    const loading: Promise<void> = this.#queueAll(store, name).then(
      () => finish('queued'),
      (error: unknown) => {
        finish('unread')
        throw error
      },
    )
    return (this.loading = loading)
  }

  async #queueAll(store: Store, name: string): Promise<void> {
    const jobs = await store.read(name, (rows) => {
      this.generation = rows.generation
      return rows.below('jobs', { before: Infinity, limit: Infinity })
    })
    const slice = sliceOf(name)
    for (const { id, due_at } of jobs) {
      if (slice.over) await slice.next()
      this.queue.add({ at: due_at, id })
    }
  }

  /** Leaves the jobs to another process. */
  standBy(until: number): void {
    this.jobs = 'standby'
    this.standbyUntil = until
    this.queue.clear()
  }
}

export class WorldWorks implements Iterable<[name: string, work: WorldWork]> {
  /** Whether the scheduler is closed, so that nothing more starts. */
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

  /** Returns whether the scheduler is open and the world was not reset. */
  isCurrent(name: string, work: WorldWork): boolean {
    return !this.closed && this.#works.get(name) === work
  }

  [Symbol.iterator](): Iterator<[string, WorldWork]> {
    return this.#works.entries()
  }
}

interface AlarmOptions {
  readonly works: WorldWorks
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  readonly onDue: (world: World) => void
  readonly onStandbyEnd: (name: string) => void
}

export type Alarm = ReturnType<typeof createAlarm>

export function createAlarm({ works, wall, world: worldOf, onDue, onStandbyEnd }: AlarmOptions) {
  const timer = new WallTimer(wall, ring)

  function set(world: World): void {
    const work = works.get(world.name)
    if (!work || work.jobs === 'loading' || work.activity !== 'waiting') return
    const due = dueInRealTime(world, work)
    if (due < timer.at) timer.ringAt(due)
  }

  function ring(): void {
    for (const [name, work] of works) {
      const world = worldOf(name)
      if (!world) continue
      if (dueInRealTime(world, work) > wall()) set(world)
      else if (work.jobs === 'standby') onStandbyEnd(name)
      else onDue(world)
    }
  }

  return {
    set,
    close(): void {
      timer.close()
    },
  }
}

/** Returns when to look at a world, milliseconds in real time. */
const dueInRealTime = (world: World, work: WorldWork): number =>
  work.jobs === 'standby' && world.clock.state.speed !== 0 ? work.standbyUntil : dueIn(world, work)

/** Returns when the first job of a world is due, milliseconds in real time, or Infinity if there is none or its clock is stopped. */
export const dueIn = ({ clock }: World, { queue }: WorldWork): number =>
  queue.first && clock.state.speed !== 0 ? clock.wallTimeOf(queue.first.at) : Infinity
