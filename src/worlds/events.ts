/** Something that happened in a world, as it is streamed. */
export interface WorldEvent {
  /** Counts up within the world, over resets too. */
  readonly id: number
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly type: string
  /** Makes the event's JSON; called only when somebody reads it. */
  readonly data: () => unknown
}

type Listener = (event: WorldEvent) => void

/** How many events a world remembers for a listener that comes back. */
const REMEMBERED = 1_000
/** How many may listen to one world at once. */
export const MOST_LISTENERS = 100

/** What happens in one world, told to whoever listens; the last ones are remembered. */
export class Events {
  readonly #ring: WorldEvent[] = []
  readonly #listeners = new Set<Listener>()
  readonly #onClose = new Set<() => void>()
  #last = 0
  #closed = false

  get listeners(): number {
    return this.#onClose.size
  }

  get closed(): boolean {
    return this.#closed
  }

  publish(type: string, at: number, data: () => unknown): void {
    const event = { id: ++this.#last, at, type, data }
    this.#ring[(event.id - 1) % REMEMBERED] = event
    for (const listener of this.#listeners) listener(event)
  }

  /** The remembered events after `id`, oldest first. */
  since(id: number): readonly WorldEvent[] {
    // A higher id is one of an earlier process.
    const from = Math.max(id > this.#last ? 0 : id, this.#last - REMEMBERED, 0)
    const events = []
    for (let next = from + 1; next <= this.#last; next++) events.push(this.#ring[(next - 1) % REMEMBERED]!)
    return events
  }

  /** Calls `listener` for each event, and `closed` when the world or the sandbox goes. Returns how to stop. */
  listen(listener: Listener, closed: () => void): () => void {
    this.#listeners.add(listener)
    this.#onClose.add(closed)
    return () => {
      this.#listeners.delete(listener)
      this.#onClose.delete(closed)
    }
  }

  /** Lets every listener go. */
  close(): void {
    this.#closed = true
    for (const closed of this.#onClose) closed()
    this.#listeners.clear()
    this.#onClose.clear()
  }
}
