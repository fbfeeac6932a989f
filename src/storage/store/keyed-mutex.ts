/** Runs work on the same key one after another, in the order of calls. */
export class KeyedMutex {
  /** The waiters for each key that is held. */
  readonly #waiting = new Map<string, Queue | undefined>()
  #whenIdle: (() => void)[] = []

  async run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const held = this.acquire(key)
    if (held) await held
    try {
      return await work()
    } finally {
      this.release(key)
    }
  }

  /** Acquires a key: synchronously if undefined is returned, else when the promise resolves. */
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

  release(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) return next()
    this.#waiting.delete(key)
    if (this.#waiting.size > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  async idle(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }
}

/** First in, first out. Unlike `shift` of an array, it takes constant time with many waiters. */
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
