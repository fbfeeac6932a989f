/** A job's place in time: when it is due and, among those due together, in which order it was owed. */
export interface Due {
  readonly at: number
  readonly id: number
}

/** Jobs, the first due on top: a binary heap. */
export class DueQueue<Entry extends Due = Due> {
  readonly #heap: Entry[] = []

  get first(): Entry | undefined {
    return this.#heap[0]
  }

  add(due: Entry): void {
    const heap = this.#heap
    let at = heap.push(due) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (before(heap[parent]!, due)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = due
  }

  clear(): void {
    this.#heap.length = 0
  }

  /** When the first of some is due; Infinity when there is none. */
  leastOf(isOne: (entry: Entry) => boolean): number {
    return this.#heap.reduce((least, entry) => (isOne(entry) ? Math.min(least, entry.at) : least), Infinity)
  }

  /** Takes the first out when it is due by `time`. */
  takeUntil(time: number): Entry | undefined {
    return this.first && this.first.at <= time ? this.#take() : undefined
  }

  #take(): Entry | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (heap.length === 0 || !last) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (before(last, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return top
  }
}

const before = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.id < b.id)
