import { later } from '../lib/clock/clock.ts'

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
