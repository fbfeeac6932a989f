/** Lets work on one name run one after another, in the order it was asked for; other names are not held up. */
export class Turns {
  /** Who waits for each name that is taken, if anyone does; a name at rest is not in it. */
  readonly #lines = new Map<string, Line | undefined>()
  #atRest: (() => void)[] = []

  /** Runs `work` when it is its turn. */
  async take<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const turn = this.enter(name)
    if (turn) await turn
    try {
      return await work()
    } finally {
      this.leave(name)
    }
  }

  /** Takes a name: at once when undefined, else when the promise resolves. Whoever entered must `leave`. */
  enter(name: string): Promise<void> | undefined {
    if (!this.#lines.has(name)) {
      this.#lines.set(name, undefined)
      return undefined
    }
    let line = this.#lines.get(name)
    if (!line) this.#lines.set(name, (line = new Line()))
    return new Promise((resolve) => line.push(resolve))
  }

  /** Gives a name to whoever waits for it longest. */
  leave(name: string): void {
    const next = this.#lines.get(name)?.shift()
    if (next) return next()
    this.#lines.delete(name)
    if (this.#lines.size > 0) return
    for (const resolve of this.#atRest.splice(0)) resolve()
  }

  /** Resolves when no work is running or waiting. */
  async rest(): Promise<void> {
    if (this.#lines.size > 0) await new Promise<void>((resolve) => this.#atRest.push(resolve))
  }
}

/** First in, first out, in constant time however many wait. */
class Line {
  #incoming: (() => void)[] = []
  #outgoing: (() => void)[] = []

  push(resolve: () => void): void {
    this.#incoming.push(resolve)
  }

  shift(): (() => void) | undefined {
    if (this.#outgoing.length === 0) {
      this.#outgoing = this.#incoming.reverse()
      this.#incoming = []
    }
    return this.#outgoing.pop()
  }
}
