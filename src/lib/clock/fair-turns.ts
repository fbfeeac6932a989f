/**
 * Fairness between worlds. Requests of a single world start immediately. While several worlds have requests, each may start a few
 * per turn of the event loop; the others wait in a queue per world.
 */

/** Requests that one world may start per turn while others have requests too. */
const A_TURN = 4
/** Turns without requests of another world, after which a world no longer shares. */
const ALONE_AFTER = 64

export class FairTurns {
  /** Requests started in this turn, by world. */
  readonly #begun = new Map<string, number>()
  /** Waiting requests by world; the first world has the next turn. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** The world of the last request, and the number of turns to share. */
  #last = ''
  #shared = 0
  #isScheduled = false

  /** Returns undefined if a request may start now, or a promise that resolves when it may. */
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

/** Shared by all requests of the process. */
export const requestTurns = new FairTurns()
