/** Limits concurrent work, in total and per world. Excess work waits, and worlds take turns however long their queues are. */
export class ConcurrencyLimiter {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #running = new Map<string, number>()
  /** First the world that has waited longest since its last turn. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #total = 0

  constructor(most: number, mostOfOne: number) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  /** The amount of running work. */
  get running(): number {
    return this.#total
  }

  /**
   * Calls `start` at once, or when it is the world's turn.
   * @returns to be called when it is over, or wanted no more; more than once does no harm
   */
  take(world: string, start: () => void): () => void {
    let state: 'waits' | 'runs' | 'over' = 'waits'
    const begin = () => {
      state = 'runs'
      this.#count(world, 1)
      start()
    }
    if (this.#mayStart(world)) begin()
    else this.#lineOf(world).add(begin)
    return () => {
      const before = state
      state = 'over'
      if (before === 'waits') this.#leave(world, begin)
      if (before !== 'runs') return
      this.#count(world, -1)
      this.#next()
    }
  }

  #mayStart(world: string): boolean {
    return this.#total < this.#most && (this.#running.get(world) ?? 0) < this.#mostOfOne
  }

  #count(world: string, change: 1 | -1): void {
    this.#total += change
    const running = (this.#running.get(world) ?? 0) + change
    if (running > 0) this.#running.set(world, running)
    else this.#running.delete(world)
  }

  #lineOf(world: string): Set<() => void> {
    let line = this.#waiting.get(world)
    if (!line) this.#waiting.set(world, (line = new Set()))
    return line
  }

  #leave(world: string, begin: () => void): void {
    const line = this.#waiting.get(world)
    line?.delete(begin)
    if (line?.size === 0) this.#waiting.delete(world)
  }

  #next(): void {
    for (const [world, line] of this.#waiting) {
      if (!this.#mayStart(world)) continue
      const [begin] = line
      this.#waiting.delete(world)
      line.delete(begin!)
      if (line.size > 0) this.#waiting.set(world, line)
      return begin!()
    }
  }
}
