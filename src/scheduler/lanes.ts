import { later } from '../clock.ts'

export interface LaneLimits {
  /** How much runs at once for one target, of one world, and altogether. */
  readonly ofTarget: number
  readonly ofWorld: number
  readonly most: number
  /** How long one more of a world's must wait for a target, milliseconds; 0 counts it as begun. No wait when left out. */
  readonly pause?: ((world: string, target: string) => number) | undefined
  /** Told whenever something waits because no more may run altogether. */
  readonly onFull?: (() => void) | undefined
}

/** What one world has waiting for one target: first in, first out. */
interface Line<Entry> {
  waiting: Entry[]
  /** How many of `waiting` have been taken from its front. */
  taken: number
  /** While it makes a pause: takes the timer back that ends it. */
  cancel: (() => void) | undefined
}

interface OfWorld<Entry> {
  running: number
  /** By target; what has waited longest since its last turn is first. */
  readonly lines: Map<string, Line<Entry>>
}

interface Target {
  running: number
  /** Whose work waits; who has waited longest since the last turn is first. */
  readonly worlds: Set<string>
}

/**
 * Runs work for many targets side by side within limits: a target that hangs holds up only its own, and worlds have
 * their turns in rotation, however much work each has. What waits is an entry in a list, without a promise.
 */
export class Lanes<Entry> {
  readonly #limits: LaneLimits
  readonly #run: (entry: Entry) => Promise<void>
  readonly #worlds = new Map<string, OfWorld<Entry>>()
  readonly #targets = new Map<string, Target>()
  #running = 0
  #waiting = 0

  /** @param run must not throw */
  constructor(limits: LaneLimits, run: (entry: Entry) => Promise<void>) {
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
    let own = this.#worlds.get(world)
    if (!own) this.#worlds.set(world, (own = { running: 0, lines: new Map() }))
    let line = own.lines.get(target)
    if (!line) own.lines.set(target, (line = { waiting: [], taken: 0, cancel: undefined }))
    line.waiting.push(entry)
    this.#waiting++
    let lane = this.#targets.get(target)
    if (!lane) this.#targets.set(target, (lane = { running: 0, worlds: new Set() }))
    lane.worlds.add(world)
    if (!this.#start(world, target) && this.#running >= this.#limits.most) this.#limits.onFull?.()
  }

  /** Takes out what a world has waiting and is wanted elsewhere. */
  takeBack(world: string, wanted: (entry: Entry) => boolean): Entry[] {
    const back: Entry[] = []
    for (const [target, line] of this.#worlds.get(world)?.lines ?? []) {
      const waiting = line.waiting.slice(line.taken)
      back.push(...waiting.filter(wanted))
      line.waiting = waiting.filter((entry) => !wanted(entry))
      line.taken = 0
      this.#tidy(world, target)
    }
    this.#waiting -= back.length
    return back
  }

  /** Wakes nobody any more; what runs goes on. */
  close(): void {
    for (const { lines } of this.#worlds.values()) for (const { cancel } of lines.values()) cancel?.()
  }

  /** Starts the first of a line when the limits allow it. */
  #start(world: string, target: string): boolean {
    const own = this.#worlds.get(world)
    const line = own?.lines.get(target)
    const lane = this.#targets.get(target)
    if (!own || !line || !lane || line.cancel) return false
    const { most, ofWorld, ofTarget, pause } = this.#limits
    if (this.#running >= most || own.running >= ofWorld || lane.running >= ofTarget) return false
    const wait = pause?.(world, target) ?? 0
    if (wait > 0) {
      line.cancel = later(wait, () => {
        line.cancel = undefined
        while (this.#start(world, target));
      })
      return false
    }
    const entry = line.waiting[line.taken++]!
    this.#count(own, lane, 1)
    this.#waiting--
    this.#toTheBack(world, own, target, lane, line)
    void this.#run(entry).then(() => this.#ended(world, own, target, lane))
    return true
  }

  #count(own: OfWorld<Entry>, lane: Target, change: 1 | -1): void {
    this.#running += change
    own.running += change
    lane.running += change
  }

  #toTheBack(world: string, own: OfWorld<Entry>, target: string, lane: Target, line: Line<Entry>): void {
    own.lines.delete(target)
    own.lines.set(target, line)
    lane.worlds.delete(world)
    lane.worlds.add(world)
    this.#worlds.delete(world)
    this.#worlds.set(world, own)
    this.#tidy(world, target)
  }

  #ended(world: string, own: OfWorld<Entry>, target: string, lane: Target): void {
    const full = this.#running >= this.#limits.most
    this.#count(own, lane, -1)
    if (full) {
      this.#startAny()
    } else {
      // What has ended kept other worlds from its target, and its own world from others.
      this.#startFirst(lane.worlds, (name) => this.#start(name, target))
      this.#startFirst(own.lines.keys(), (to) => this.#start(world, to))
    }
    this.#tidy(world, target)
  }

  #startAny(): void {
    this.#startFirst(this.#worlds, ([name, { lines }]) =>
      this.#startFirst(lines.keys(), (to) => this.#start(name, to)),
    )
  }

  #startFirst<Item>(items: Iterable<Item>, start: (item: Item) => boolean): boolean {
    for (const item of items) if (start(item)) return true
    return false
  }

  /** Forgets what is empty, and what was taken from the front of a line. */
  #tidy(world: string, target: string): void {
    const own = this.#worlds.get(world)
    const lane = this.#targets.get(target)
    const line = own?.lines.get(target)
    if (line && line.taken === line.waiting.length) {
      line.cancel?.()
      own!.lines.delete(target)
    } else if (line && line.taken > 1_000) {
      line.waiting = line.waiting.slice(line.taken)
      line.taken = 0
    }
    if (!own?.lines.has(target)) lane?.worlds.delete(world)
    if (own?.running === 0 && own.lines.size === 0) this.#worlds.delete(world)
    if (lane?.running === 0 && lane.worlds.size === 0) this.#targets.delete(target)
  }
}
