import { later, type Wall } from '../lib/clock/clock.ts'
import { urlOf } from '../lib/text/is-url.ts'

export interface ConcurrencyLimits {
  /** Maximum number at a time per target, per world and in total. */
  readonly perTarget: number
  readonly perWorld: number
  readonly total: number
  /** Returns how long the next one must wait, milliseconds; 0 counts it as started. */
  readonly pause?: ((world: string, target: string) => number) | undefined
  /** Called whenever work has to wait because of `total`. */
  readonly onFull?: (() => void) | undefined
}

/** The waiting entries of one world for one target, first in, first out. */
interface Queue<Entry> {
  waiting: Entry[]
  /** How many entries were taken from the front of `waiting`. */
  taken: number
  /** During a pause, cancels its timer. */
  cancel: (() => void) | undefined
}

interface WorldGroup<Entry> {
  running: number
  /** By target; the one with the longest time since its last turn comes first. */
  readonly queues: Map<string, Queue<Entry>>
}

interface TargetHost {
  running: number
  /** Worlds with waiting work; the one with the longest time since its last turn comes first. */
  readonly worlds: Set<string>
}

/**
 * Limits concurrent work per target, per world and in total. A target that hangs delays only its own work, and worlds take turns
 * however long their queues are. Waiting work is an entry in a list, without a promise.
 * @param run - Must not reject.
 */
export function createConcurrencyLimiter<Entry>(
  limits: ConcurrencyLimits,
  run: (entry: Entry) => Promise<void>,
) {
  const groups = new Map<string, WorldGroup<Entry>>()
  const targets = new Map<string, TargetHost>()
  let runs = 0
  let waits = 0

  /** Starts the first entry of a queue if the limits allow it. */
  function start(world: string, target: string): boolean {
    const group = groups.get(world)
    const queue = group?.queues.get(target)
    const host = targets.get(target)
    if (!group || !queue || !host || queue.cancel) return false
    const { total, perWorld, perTarget, pause } = limits
    if (runs >= total || group.running >= perWorld || host.running >= perTarget) return false
    const wait = pause?.(world, target) ?? 0
    if (wait > 0) {
      queue.cancel = later(wait, () => {
        queue.cancel = undefined
        while (start(world, target));
      })
      return false
    }
    const entry = queue.waiting[queue.taken++]!
    count(group, host, 1)
    waits--
    // The queue, its world and its target are last in turn from now on.
    group.queues.delete(target)
    group.queues.set(target, queue)
    host.worlds.delete(world)
    host.worlds.add(world)
    groups.delete(world)
    groups.set(world, group)
    tidy(world, target)
    void run(entry).then(() => ended(world, group, target, host))
    return true
  }

  function count(group: WorldGroup<Entry>, host: TargetHost, change: 1 | -1): void {
    runs += change
    group.running += change
    host.running += change
  }

  function ended(world: string, group: WorldGroup<Entry>, target: string, host: TargetHost): void {
    const full = runs >= limits.total
    count(group, host, -1)
    if (full) startFirst(groups, ([name, { queues }]) => startFirst(queues.keys(), (to) => start(name, to)))
    else {
      // It may have kept other worlds from its target, and its own world from other targets.
      startFirst(host.worlds, (name) => start(name, target))
      startFirst(group.queues.keys(), (to) => start(world, to))
    }
    tidy(world, target)
  }

  function startFirst<Item>(items: Iterable<Item>, begins: (item: Item) => boolean): boolean {
    for (const item of items) if (begins(item)) return true
    return false
  }

  /** Removes what is empty, and the taken entries of a queue. */
  function tidy(world: string, target: string): void {
    const group = groups.get(world)
    const host = targets.get(target)
    const queue = group?.queues.get(target)
    if (queue && queue.taken === queue.waiting.length) {
      queue.cancel?.()
      group!.queues.delete(target)
    } else if (queue && queue.taken > 1_000) {
      queue.waiting = queue.waiting.slice(queue.taken)
      queue.taken = 0
    }
    if (!group?.queues.has(target)) host?.worlds.delete(world)
    if (group?.running === 0 && group.queues.size === 0) groups.delete(world)
    if (host?.running === 0 && host.worlds.size === 0) targets.delete(target)
  }

  return {
    get running() {
      return runs
    },
    get waiting() {
      return waits
    },
    add(world: string, target: string, entry: Entry): void {
      let group = groups.get(world)
      if (!group) groups.set(world, (group = { running: 0, queues: new Map() }))
      let queue = group.queues.get(target)
      if (!queue) group.queues.set(target, (queue = { waiting: [], taken: 0, cancel: undefined }))
      queue.waiting.push(entry)
      waits++
      let host = targets.get(target)
      if (!host) targets.set(target, (host = { running: 0, worlds: new Set() }))
      host.worlds.add(world)
      if (!start(world, target) && runs >= limits.total) limits.onFull?.()
    },
    /** Removes and returns waiting entries of a world. */
    takeBack(world: string, isWanted: (entry: Entry) => boolean): Entry[] {
      const back: Entry[] = []
      for (const [target, queue] of groups.get(world)?.queues ?? []) {
        const waiting = queue.waiting.slice(queue.taken)
        back.push(...waiting.filter(isWanted))
        queue.waiting = waiting.filter((entry) => !isWanted(entry))
        queue.taken = 0
        tidy(world, target)
      }
      waits -= back.length
      return back
    },
    /** Cancels pauses; running work continues. */
    close(): void {
      for (const { queues } of groups.values()) for (const { cancel } of queues.values()) cancel?.()
    },
  }
}

/**
 * Returns a function that runs work within limits in total and per world. Its result cancels the work if it has not started.
 */
export function createWorldLimiter(total: number, perWorld: number) {
  const limiter = createConcurrencyLimiter<() => Promise<void>>(
    { total, perWorld, perTarget: total },
    (work) => work(),
  )
  return (world: string, work: () => Promise<void>): (() => void) => {
    limiter.add(world, '', work)
    return () => void limiter.takeBack(world, (waiting) => waiting === work)
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
    const host = urlOf(target)?.hostname
    if (host === undefined) return 0
    const key = `${world} ${host}`
    const now = wall()
    const full = Math.max(fullAt.get(key) ?? now, now)
    const wait = Math.ceil(full + gap - MINUTE - now)
    if (wait > 0) return wait
    if (fullAt.size >= MOST_KEPT) for (const [each, at] of fullAt) if (at <= now) fullAt.delete(each)
    fullAt.set(key, full + gap)
    return 0
  }
}
