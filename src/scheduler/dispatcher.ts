import { later } from '../lib/clock/clock.ts'
import { HEARD } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { type Dispatch, type DispatchOf, type DueJob, type JobPerformer, owedJob } from './job-performer.ts'
import type { Leases } from './leases.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

export interface ConcurrencyLimits {
  /** How much runs at once for one target, of one world, and altogether. */
  readonly perTarget: number
  readonly perWorld: number
  readonly total: number
  /** How long one more of a world's must wait for a target, milliseconds; 0 counts it as begun. No wait when left out. */
  readonly pause?: ((world: string, target: string) => number) | undefined
  /** Told whenever something waits because no more may run altogether. */
  readonly onFull?: (() => void) | undefined
}

/** What one world has waiting for one target: first in, first out. */
interface Queue<Entry> {
  waiting: Entry[]
  /** How many of `waiting` have been taken from its front. */
  taken: number
  /** While it makes a pause: takes the timer back that ends it. */
  cancel: (() => void) | undefined
}

interface WorldGroup<Entry> {
  running: number
  /** By target; what has waited longest since its last turn is first. */
  readonly queues: Map<string, Queue<Entry>>
}

interface TargetHost {
  running: number
  /** Whose work waits; who has waited longest since the last turn is first. */
  readonly worlds: Set<string>
}

/**
 * Runs work for many targets side by side within limits: a target that hangs holds up only its own, and worlds have
 * their turns in rotation, however much work each has. What waits is an entry in a list, without a promise.
 */
export class ConcurrencyLimiter<Entry> {
  readonly #limits: ConcurrencyLimits
  readonly #run: (entry: Entry) => Promise<void>
  readonly #worlds = new Map<string, WorldGroup<Entry>>()
  readonly #targets = new Map<string, TargetHost>()
  #running = 0
  #waiting = 0

  /** @param run must not throw */
  constructor(limits: ConcurrencyLimits, run: (entry: Entry) => Promise<void>) {
    this.#limits = limits
    this.#run = run
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  add(world: string, target: string, entry: Entry): void {
    let group = this.#worlds.get(world)
    if (!group) this.#worlds.set(world, (group = { running: 0, queues: new Map() }))
    let queue = group.queues.get(target)
    if (!queue) group.queues.set(target, (queue = { waiting: [], taken: 0, cancel: undefined }))
    queue.waiting.push(entry)
    this.#waiting++
    let host = this.#targets.get(target)
    if (!host) this.#targets.set(target, (host = { running: 0, worlds: new Set() }))
    host.worlds.add(world)
    if (!this.#start(world, target) && this.#running >= this.#limits.total) this.#limits.onFull?.()
  }

  /** Takes out what a world has waiting and is wanted elsewhere. */
  takeBack(world: string, wanted: (entry: Entry) => boolean): Entry[] {
    const back: Entry[] = []
    for (const [target, queue] of this.#worlds.get(world)?.queues ?? []) {
      const waiting = queue.waiting.slice(queue.taken)
      back.push(...waiting.filter(wanted))
      queue.waiting = waiting.filter((entry) => !wanted(entry))
      queue.taken = 0
      this.#tidy(world, target)
    }
    this.#waiting -= back.length
    return back
  }

  /** Wakes nobody any more; what runs goes on. */
  close(): void {
    for (const { queues } of this.#worlds.values()) for (const { cancel } of queues.values()) cancel?.()
  }

  /** Starts the first of a queue when the limits allow it. */
  #start(world: string, target: string): boolean {
    const group = this.#worlds.get(world)
    const queue = group?.queues.get(target)
    const host = this.#targets.get(target)
    if (!group || !queue || !host || queue.cancel) return false
    const { total, perWorld, perTarget, pause } = this.#limits
    if (this.#running >= total || group.running >= perWorld || host.running >= perTarget) return false
    const wait = pause?.(world, target) ?? 0
    if (wait > 0) {
      queue.cancel = later(wait, () => {
        queue.cancel = undefined
        while (this.#start(world, target));
      })
      return false
    }
    const entry = queue.waiting[queue.taken++]!
    this.#count(group, host, 1)
    this.#waiting--
    this.#moveToBack(world, group, target, host, queue)
    void this.#run(entry).then(() => this.#ended(world, group, target, host))
    return true
  }

  #count(group: WorldGroup<Entry>, host: TargetHost, change: 1 | -1): void {
    this.#running += change
    group.running += change
    host.running += change
  }

  #moveToBack(
    world: string,
    group: WorldGroup<Entry>,
    target: string,
    host: TargetHost,
    queue: Queue<Entry>,
  ): void {
    group.queues.delete(target)
    group.queues.set(target, queue)
    host.worlds.delete(world)
    host.worlds.add(world)
    this.#worlds.delete(world)
    this.#worlds.set(world, group)
    this.#tidy(world, target)
  }

  #ended(world: string, group: WorldGroup<Entry>, target: string, host: TargetHost): void {
    const full = this.#running >= this.#limits.total
    this.#count(group, host, -1)
    if (full) {
      this.#startAny()
    } else {
      // What has ended kept other worlds from its target, and its own world from others.
      this.#startFirst(host.worlds, (name) => this.#start(name, target))
      this.#startFirst(group.queues.keys(), (to) => this.#start(world, to))
    }
    this.#tidy(world, target)
  }

  #startAny(): void {
    this.#startFirst(this.#worlds, ([name, { queues }]) =>
      this.#startFirst(queues.keys(), (to) => this.#start(name, to)),
    )
  }

  #startFirst<Item>(items: Iterable<Item>, start: (item: Item) => boolean): boolean {
    for (const item of items) if (start(item)) return true
    return false
  }

  /** Forgets what is empty, and what was taken from the front of a queue. */
  #tidy(world: string, target: string): void {
    const group = this.#worlds.get(world)
    const host = this.#targets.get(target)
    const queue = group?.queues.get(target)
    if (queue && queue.taken === queue.waiting.length) {
      queue.cancel?.()
      group!.queues.delete(target)
    } else if (queue && queue.taken > 1_000) {
      queue.waiting = queue.waiting.slice(queue.taken)
      queue.taken = 0
    }
    if (!group?.queues.has(target)) host?.worlds.delete(world)
    if (group?.running === 0 && group.queues.size === 0) this.#worlds.delete(world)
    if (host?.running === 0 && host.worlds.size === 0) this.#targets.delete(target)
  }
}

interface QueuedJob {
  readonly world: World
  readonly work: WorldWork
  readonly id: number
  readonly at: number
  readonly series: string
}

/** How many callbacks are under way at a time. */
const LIMITS: ConcurrencyLimits = { perTarget: 64, perWorld: 128, total: 512 }

interface DispatcherOptions {
  readonly works: WorldWorks
  readonly leases: Leases
  readonly performer: JobPerformer
  /** Where they are other than usual. */
  readonly limits?: Partial<ConcurrencyLimits> | undefined
  /** Told when a job of a world has ended. */
  readonly onEnd: (world: World) => void
}

/** Does jobs that go over the network side by side, within limits. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #limiter: ConcurrencyLimiter<QueuedJob>

  constructor(options: DispatcherOptions) {
    this.#options = options
    const limits = { ...LIMITS, ...options.limits }
    this.#limiter = new ConcurrencyLimiter(limits, (entry) => this.#perform(entry))
  }

  /** Sends a job when the limits allow it. */
  add(world: World, work: WorldWork, { due, dispatch }: DueJob & { readonly dispatch: Dispatch }): void {
    const { target, series } = dispatch
    work.beginDispatch(series)
    this.#limiter.add(world.name, target, { world, work, ...due, series })
  }

  /** Puts what waits for its place back into the queue of its world. */
  takeBack(name: string, work: WorldWork): void {
    for (const { at, id, series } of this.#limiter.takeBack(name, (entry) => entry.work === work)) {
      work.endDispatch(series)
      work.queue.add({ at, id })
    }
  }

  /** Resolves when a job that goes past the limits may begin. */
  async inPace(name: string, dispatch: Dispatch | null): Promise<void> {
    const pause = this.#options.limits?.pause
    if (!pause || !dispatch) return
    const { target } = dispatch
    const { works } = this.#options
    for (let wait = pause(name, target); wait > 0 && !works.closed; wait = pause(name, target))
      await new Promise((resolve) => setTimeout(resolve, wait))
  }

  /** Whether jobs may have to wait for their pace. */
  get isPaced(): boolean {
    return this.#options.limits?.pause !== undefined
  }

  get traffic(): { readonly running: number; readonly waiting: number } {
    return { running: this.#limiter.running, waiting: this.#limiter.waiting }
  }

  close(): void {
    this.#limiter.close()
  }

  async #perform(entry: QueuedJob): Promise<void> {
    const { world, work, series } = entry
    try {
      await this.#performOwed(entry)
    } catch (error) {
      this.#options.performer.report(error, world, work)
    } finally {
      work.endDispatch(series)
      this.#options.onEnd(world)
    }
  }

  async #performOwed({ world, work, id, at }: QueuedJob): Promise<void> {
    const { works, leases, performer } = this.#options
    if (works.closed) return
    // The lease ran out while this waited: it is queued again, and claimed before it is sent.
    if (!leases.has(world.name)) return work.queue.add({ at, id })
    const owed = await world.read((look) => owedJob(look, id), HEARD)
    if (owed && works.isCurrent(world.name, work)) await performer.perform(world, work, owed)
  }
}

/** What runs the jobs of worlds. */
export interface RunningParts {
  readonly works: WorldWorks
  readonly leases: Leases
  readonly dispatchOf: DispatchOf
  readonly performer: JobPerformer
  readonly dispatcher: Dispatcher
}
