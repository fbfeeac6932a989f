import { type OnError, Listeners } from '../listeners.ts'

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

/** What happens in one world, told to whoever listens; the last ones are remembered. */
export class Events {
  readonly #ring: (WorldEvent | undefined)[] = []
  readonly #listeners: Listeners<[event: WorldEvent]>
  readonly #onClose: Listeners<[]>
  readonly #onAccessChange: Listeners<[]>
  readonly #onEventError: (error: unknown, event: WorldEvent) => void
  readonly #life: string
  readonly #mostBytes: number
  /** What the subject of each event of the ring takes, and of all together: an event keeps its subject. */
  readonly #counted: number[] = []
  #bytes = 0
  #last = 0
  /** How many events are forgotten, the oldest first. */
  #forgotten = 0
  #closed = false

  /**
   * @param life tells this world from one of its name before it, of this process or an earlier one
   * @param onError takes what listeners throw
   * @param mostBytes what the subjects of the events that are remembered may take; the last one is always remembered
   */
  constructor(life: string, onError: OnError, mostBytes = Infinity) {
    this.#life = life
    this.#mostBytes = mostBytes
    this.#onEventError = (error, { id, type }) => onError(error, { of: 'event', id, type })
    this.#listeners = new Listeners(this.#onEventError)
    this.#onClose = new Listeners((error) => onError(error, { of: 'end of events' }))
    this.#onAccessChange = new Listeners((error) => onError(error, { of: 'change of access' }))
  }

  /** What the subjects of remembered events take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The id of the last event; one that counts 0 when there was none yet. */
  get lastId(): string {
    return idOf(this.#life, this.#last)
  }

  /** How many events there were. */
  get count(): number {
    return this.#last
  }

  get listeners(): number {
    return this.#onClose.size
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * @param view makes the event's JSON of its subject, as often as somebody reads it
   * @param bytes what the subject takes in memory
   */
  publish<Subject>(type: string, at: number, subject: Subject, view: View<Subject>, bytes = 0): void {
    if (this.#last - this.#forgotten >= REMEMBERED) this.#forgetOldest()
    const slot = this.#last++ % REMEMBERED
    this.#counted[slot] = bytes
    this.#bytes += bytes
    while (this.#bytes > this.#mostBytes && this.#last - this.#forgotten > 1) this.#forgetOldest()
    const event = new Happened(this.#life, this.#last, at, type, subject, view)
    this.#ring[slot] = event
    this.#listeners.tell(event)
  }

  /** To be called when an event could not be told. */
  failed(error: unknown, event: WorldEvent): void {
    this.#onEventError(error, event)
  }

  /** The event of this number, counted from 1; undefined when it is forgotten or has not happened yet. */
  at(number: number): WorldEvent | undefined {
    if (number > this.#last || number <= this.#forgotten) return undefined
    return this.#ring[(number - 1) % REMEMBERED]
  }

  /**
   * The number of the event after which somebody goes on who has seen `id`; the one before the oldest that is remembered
   * when it is of another life or forgotten.
   * @param id of an event, or the number alone for one of this life; undefined when it is neither
   */
  position(id: string): number | undefined {
    const [, life = this.#life, digits] = EVENT_ID.exec(id) ?? []
    if (digits === undefined) return undefined
    const number = Number(digits)
    const known = life === this.#life && number <= this.#last ? number : 0
    return Math.max(known, this.#forgotten)
  }

  #forgetOldest(): void {
    const slot = this.#forgotten++ % REMEMBERED
    this.#bytes -= this.#counted[slot]!
    this.#ring[slot] = undefined
  }

  /** Calls `listener` when keys, users or roles of the world have changed. Returns how to stop. */
  onAccessChange(listener: () => void): () => void {
    return this.#onAccessChange.add(listener)
  }

  /** To be called when they have. */
  accessChanged(): void {
    this.#onAccessChange.tell()
  }

  /** Calls `listener` after each event, and `closed` when the world or the sandbox goes. Returns how to stop. */
  listen(listener: Listener, closed: () => void): () => void {
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
    this.#onAccessChange.clear()
  }
}
