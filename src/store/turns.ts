/** Lets work on one name run one after another, in the order it was asked for; other names are not held up. */
export class Turns {
  /** Who waits for each name that is taken; a name at rest is not in it. */
  readonly #lines = new Map<string, Line>()
  #atRest: (() => void)[] = []

  async take<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const line = this.#lines.get(name)
    if (line) await new Promise<void>((resolve) => line.push(resolve))
    else this.#lines.set(name, new Line())
    try {
      return await work()
    } finally {
      this.#pass(name)
    }
  }

  /** Resolves when no work is running or waiting. */
  async rest(): Promise<void> {
    if (this.#lines.size > 0) await new Promise<void>((resolve) => this.#atRest.push(resolve))
  }

  #pass(name: string): void {
    const next = this.#lines.get(name)?.shift()
    if (next) return next()
    this.#lines.delete(name)
    if (this.#lines.size > 0) return
    for (const resolve of this.#atRest.splice(0)) resolve()
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
