/** Work that waits for one target: first in, first out. */
interface Lane<Entry> {
  waiting: Entry[]
  /** How many of `waiting` have been taken from its front. */
  taken: number
  running: number
}

/**
 * Runs work for many targets side by side, at most so much for each: a target that hangs holds up only its own.
 * What waits is an entry in a list, without a timer or a promise.
 */
export class Lanes<Entry> {
  readonly #lanes = new Map<string, Lane<Entry>>()
  readonly #width: number
  readonly #run: (entry: Entry) => Promise<void>

  /** @param run must not throw */
  constructor(width: number, run: (entry: Entry) => Promise<void>) {
    this.#width = width
    this.#run = run
  }

  add(target: string, entry: Entry): void {
    let lane = this.#lanes.get(target)
    if (!lane) this.#lanes.set(target, (lane = { waiting: [], taken: 0, running: 0 }))
    lane.waiting.push(entry)
    this.#go(target, lane)
  }

  /** Takes out what waits and is wanted elsewhere. */
  takeBack(wanted: (entry: Entry) => boolean): Entry[] {
    const back: Entry[] = []
    for (const lane of this.#lanes.values()) {
      const waiting = lane.waiting.slice(lane.taken)
      back.push(...waiting.filter(wanted))
      lane.waiting = waiting.filter((entry) => !wanted(entry))
      lane.taken = 0
    }
    return back
  }

  #go(target: string, lane: Lane<Entry>): void {
    while (lane.running < this.#width && lane.taken < lane.waiting.length) {
      const entry = lane.waiting[lane.taken++]!
      lane.running++
      void this.#run(entry).then(() => {
        lane.running--
        this.#go(target, lane)
      })
    }
    if (lane.taken === lane.waiting.length) {
      lane.waiting = []
      lane.taken = 0
      if (lane.running === 0) this.#lanes.delete(target)
    } else if (lane.taken > 1_000) {
      lane.waiting = lane.waiting.slice(lane.taken)
      lane.taken = 0
    }
  }
}
