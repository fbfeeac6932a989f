/** Something that happened in a world, as it is streamed. */
export interface WorldEvent {
  /** Names the world's life and counts up within it, over resets too: `mqc5x0w0-7`. */
  readonly id: string
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly type: string
  /** Makes the event's JSON; called only when somebody reads it. */
  readonly data: () => unknown
}

const EVENT_ID = /^(?:([0-9a-z]+)-)?(\d+)$/

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
  readonly #life: string
  #last = 0
  #closed = false

  /** @param life tells this world from one of its name before it, of this process or an earlier one */
  constructor(life: string) {
    this.#life = life
  }

  /** The id of the last event; one that counts 0 when there was none yet. */
  get lastId(): string {
    return `${this.#life}-${this.#last}`
  }

  get listeners(): number {
    return this.#onClose.size
  }

  get closed(): boolean {
    return this.#closed
  }

  publish(type: string, at: number, data: () => unknown): void {
    const slot = this.#last++ % REMEMBERED
    const event = { id: this.lastId, at, type, data }
    this.#ring[slot] = event
    for (const listener of this.#listeners) listener(event)
  }

  /**
   * The remembered events after `id`, oldest first; all of them when it is of another life.
   * @param id of an event, or the number alone for one of this life; undefined when it is neither
   */
  since(id: string): readonly WorldEvent[] | undefined {
    const [, life = this.#life, digits] = EVENT_ID.exec(id) ?? []
    if (digits === undefined) return undefined
    const number = Number(digits)
    const known = life === this.#life && number <= this.#last ? number : 0
    const from = Math.max(known, this.#last - REMEMBERED)
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
