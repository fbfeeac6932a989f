import type { EventsOfWorld, EventView, FirstEvents, Watcher, WorldEvent } from '../event-log.ts'

/** The event's JSON is built only if it is read: of a thousand remembered events, most never are. */
class StoredEvent<Subject> implements WorldEvent, Place {
  readonly at: number
  readonly type: string
  readonly version: number
  readonly index: number
  readonly #life: string
  readonly #subject: Subject
  readonly #view: EventView<Subject>

  constructor(
    life: string,
    place: Place,
    at: number,
    type: string,
    subject: Subject,
    view: EventView<Subject>,
  ) {
    this.at = at
    this.type = type
    this.version = place.version
    this.index = place.index
    this.#life = life
    this.#subject = subject
    this.#view = view
  }

  get id(): string {
    return idOf(this.#life, this)
  }

  data(): unknown {
    return this.#view(this.#subject)
  }
}

/** The position of an event: the version that it follows, and its index since. */
interface Place {
  readonly version: number
  readonly index: number
}

type Remembered = WorldEvent & Place

const idOf = (life: string, { version, index }: Place) => `${life}-${version}.${index}`

const isAfter = (one: Place, other: Place) =>
  one.version > other.version || (one.version === other.version && one.index > other.index)

const EVENT_ID = /^(?:([0-9a-z]+)-(\d+)(?:\.(\d+))?|(\d+))$/

/** Number of events that a world remembers for clients that reconnect. */
export const EVENTS_KEPT = 1_000

export class EventRing implements EventsOfWorld {
  readonly #ring: (Remembered | undefined)[] = []
  readonly #life: string
  readonly #mostBytes: number
  /** The memory of each event's subject. */
  readonly #counted: number[] = []
  readonly #last = { version: 0, index: 0 }
  /** Created when needed: most worlds have no listener. */
  #listeners: Set<(event: WorldEvent) => void> | undefined
  #bytes = 0
  #count = 0
  #watchers = 0
  #forgotten = 0

  constructor({ life, mostBytes }: Pick<FirstEvents, 'life' | 'mostBytes'>) {
    this.#life = life
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get spent(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#count
  }

  get lastId(): string {
    return idOf(this.#life, this.#last)
  }

  ready(): undefined {
    return undefined
  }

  goBy(): void {}

  follow(version: number): boolean {
    if (version <= this.#last.version) return false
    this.#last.version = version
    this.#last.index = 0
    return true
  }

  publish<Subject>(type: string, at: number, subject: Subject, view: EventView<Subject>, bytes = 0): void {
    if (this.#count - this.#forgotten >= EVENTS_KEPT) this.#forgetOldest()
    const slot = this.#count++ % EVENTS_KEPT
    this.#counted[slot] = bytes
    this.#bytes += bytes
    while (this.#bytes > this.#mostBytes && this.#count - this.#forgotten > 1) this.#forgetOldest()
    this.#last.index += 1
    const event = new StoredEvent(this.#life, this.#last, at, type, subject, view)
    this.#ring[slot] = event
    if (this.#listeners) for (const listener of this.#listeners) listener(event)
  }

  at(number: number): WorldEvent | undefined {
    return this.#at(number)
  }

  position(id: string): number | undefined {
    const found = EVENT_ID.exec(id)
    if (!found) return undefined
    const [, life = this.#life, version, index = 0, alone] = found
    const seen = { version: Number(version ?? alone), index: Number(index) }
    if (life !== this.#life || isAfter(seen, this.#last)) return this.#forgotten
    return this.#countUpTo(seen)
  }

  watch(): Watcher {
    this.#watchers += 1
    return { known: undefined, leave: () => void (this.#watchers -= 1) }
  }

  get watched(): boolean {
    return this.#watchers > 0
  }

  listen(listener: (event: WorldEvent) => void): () => void {
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  #at(number: number): Remembered | undefined {
    if (number > this.#count || number <= this.#forgotten) return undefined
    return this.#ring[(number - 1) % EVENTS_KEPT]
  }

  /** Returns the number of events up to a position, including forgotten ones. */
  #countUpTo(seen: Place): number {
    let [low, high] = [this.#forgotten, this.#count]
    while (low < high) {
      const middle = Math.floor((low + high) / 2) + 1
      if (isAfter(this.#at(middle)!, seen)) high = middle - 1
      else low = middle
    }
    return low
  }

  #forgetOldest(): void {
    const slot = this.#forgotten++ % EVENTS_KEPT
    this.#bytes -= this.#counted[slot]!
    this.#ring[slot] = undefined
  }
}
