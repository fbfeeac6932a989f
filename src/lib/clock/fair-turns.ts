/**
 * Fairness between worlds in front of handlers. While requests of one world alone come in, each begins at once. While several worlds have
 * requests, each world may begin a few in a turn of the event loop; the rest wait in a queue of their world, and worlds take turns.
 */

/** Requests of one world that begin in one turn while other worlds have requests too. */
const A_TURN = 4
/** Turns without requests of a second world after which the first has the event loop to itself again. */
const ALONE_AFTER = 64

export class FairTurns {
  /** Requests begun in this turn, by world. */
  readonly #begun = new Map<string, number>()
  /** Requests that wait, by world; the first of the map has the next turn. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** The world that came last, and the turns for which worlds still share. */
  #last = ''
  #shared = 0
  #isScheduled = false

  /** @returns undefined when a request of the world may begin now, or a promise that resolves when it may */
  enter(world: string): Promise<void> | undefined {
    if (world !== this.#last) {
      if (this.#last !== '') this.#shared = ALONE_AFTER
      this.#last = world
    }
    if (this.#shared === 0) return undefined
    this.#schedule()
    const begun = this.#begun.get(world) ?? 0
    if (begun < A_TURN && !this.#waiting.has(world)) {
      this.#begun.set(world, begun + 1)
      return undefined
    }
    return new Promise((resolve) => {
      const line = this.#waiting.get(world)
      if (line) line.push(resolve)
      else this.#waiting.set(world, [resolve])
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#isScheduled = false
    this.#shared -= 1
    this.#begun.clear()
    for (const [world, line] of Array.from(this.#waiting)) {
      const beginning = line.splice(0, A_TURN)
      this.#begun.set(world, beginning.length)
      // A world that has begun some is the last to begin more.
      this.#waiting.delete(world)
      if (line.length > 0) this.#waiting.set(world, line)
      for (const begin of beginning) begin()
    }
    if (this.#waiting.size > 0) {
      this.#shared = Math.max(this.#shared, 1)
      this.#schedule()
    }
  }
}

/** The turns of all requests of the process. */
export const requestTurns = new FairTurns()
