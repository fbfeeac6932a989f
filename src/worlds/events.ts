import { type ListenerFault, Listeners } from '../listeners.ts'

/** Something that happened in a world, as it is streamed. */
export interface WorldEvent {
  /** Names the world's life and counts up within it, over resets too: `mqc5x0w0-7`. */
  readonly id: string
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly type: string
  /** The event's JSON, made when somebody reads it. */
  data(): unknown
}

/** Makes the JSON of an event about something. */
type View<Subject> = (subject: Subject) => unknown

/** A thousand of them are remembered and nearly all forgotten unread: what is said of one is made when it is asked for. */
class Happened<Subject> implements WorldEvent {
  readonly at: number
  readonly type: string
  readonly #life: string
  readonly #number: number
  readonly #subject: Subject
  readonly #view: View<Subject>

  constructor(life: string, number: number, at: number, type: string, subject: Subject, view: View<Subject>) {
    this.at = at
    this.type = type
    this.#life = life
    this.#number = number
    this.#subject = subject
    this.#view = view
  }

  get id(): string {
    return idOf(this.#life, this.#number)
  }

  data(): unknown {
    return this.#view(this.#subject)
  }
}

const idOf = (life: string, number: number) => `${life}-${number}`

const EVENT_ID = /^(?:([0-9a-z]+)-)?(\d+)$/

type Listener = (event: WorldEvent) => void

/** How many events a world remembers for a listener that comes back. */
const REMEMBERED = 1_000
/** How many may listen to one world at once. */
export const MOST_LISTENERS = 100

/** What happens in one world, told to whoever listens; the last ones are remembered. */
export class Events {
  readonly #ring: WorldEvent[] = []
  readonly #listeners: Listeners<[event: WorldEvent]>
  readonly #onClose: Listeners<[]>
  readonly #onEventFault: (error: unknown, event: WorldEvent) => void
  readonly #life: string
  #last = 0
  #closed = false

  /**
   * @param life tells this world from one of its name before it, of this process or an earlier one
   * @param onFault takes what listeners throw
   */
  constructor(life: string, onFault: ListenerFault) {
    this.#life = life
    this.#onEventFault = (error, { id, type }) => onFault(error, { of: 'event', id, type })
    this.#listeners = new Listeners(this.#onEventFault)
    this.#onClose = new Listeners((error) => onFault(error, { of: 'end of events' }))
  }

  /** The id of the last event; one that counts 0 when there was none yet. */
  get lastId(): string {
    return idOf(this.#life, this.#last)
  }

  get listeners(): number {
    return this.#onClose.size
  }

  get closed(): boolean {
    return this.#closed
  }

  /** @param view makes the event's JSON of its subject, as often as somebody reads it */
  publish<Subject>(type: string, at: number, subject: Subject, view: View<Subject>): void {
    const slot = this.#last++ % REMEMBERED
    const event = new Happened(this.#life, this.#last, at, type, subject, view)
    this.#ring[slot] = event
    this.#listeners.tell(event)
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

  /**
   * Calls `listener` for each event, and `closed` when the world or the sandbox goes. Returns how to stop.
   * @param missed events that it is told of first
   */
  listen(listener: Listener, closed: () => void, missed: readonly WorldEvent[] = []): () => void {
    const alone = new Listeners(this.#onEventFault)
    alone.add(listener)
    for (const event of missed) alone.tell(event)
    const stops = [this.#listeners.add(listener), this.#onClose.add(closed)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Lets every listener go. */
  close(): void {
    this.#closed = true
    this.#onClose.tell()
    this.#listeners.clear()
    this.#onClose.clear()
  }
}
