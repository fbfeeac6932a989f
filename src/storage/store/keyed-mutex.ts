/** Lets work on one key run one after another, in the order it was asked for; other keys are not held up. */
export class KeyedMutex {
  /** Who waits for each key that is held, if anyone does; a free one is not in it. */
  readonly #waiting = new Map<string, Queue | undefined>()
  #whenIdle: (() => void)[] = []

  /** Runs `work` while it holds the key. */
  async run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const held = this.acquire(key)
    if (held) await held
    try {
      return await work()
    } finally {
      this.release(key)
    }
  }

  /** Takes a key: at once when undefined, else when the promise resolves. Whoever has it must `release` it. */
  acquire(key: string): Promise<void> | undefined {
    if (!this.#waiting.has(key)) {
      this.#waiting.set(key, undefined)
      return undefined
    }
    let queue = this.#waiting.get(key)
    if (!queue) this.#waiting.set(key, (queue = new Queue()))
    return new Promise((resolve) => queue.push(resolve))
  }

  isHeld(key: string): boolean {
    return this.#waiting.has(key)
  }

  /** Gives a key to whoever waits for it longest. */
  release(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) return next()
    this.#waiting.delete(key)
    if (this.#waiting.size > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /** Resolves when no work is running or waiting. */
  async idle(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }
}

/** First in, first out, in constant time however many wait. */
class Queue {
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
