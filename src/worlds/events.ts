import type {
  ChangeClock,
  EventsOfWorld,
  EventView,
  Watcher,
  WorldEvent,
} from '../storage/engine/event-log.ts'
import { type OnError, Listeners } from '../lib/listeners.ts'

type Listener = (event: WorldEvent) => void

/** Who listens, in this process, to what happens in one world. */
export class Events {
  readonly #log: EventsOfWorld
  readonly #listeners: Listeners<[event: WorldEvent]>
  readonly #onClose: Listeners<[]>
  readonly #onAccessChange: Listeners<[]>
  readonly #onEventError: (error: unknown, event: WorldEvent) => void
  /** Stops following the log, which is followed once somebody listens. */
  #stop: (() => void) | undefined
  #closed = false

  /** @param onError takes what listeners throw */
  constructor(log: EventsOfWorld, onError: OnError) {
    this.#log = log
    this.#onEventError = (error, { id, type }) => onError(error, { of: 'event', id, type })
    this.#listeners = new Listeners(this.#onEventError)
    this.#onClose = new Listeners((error) => onError(error, { of: 'end of events' }))
    this.#onAccessChange = new Listeners((error) => onError(error, { of: 'change of access' }))
  }

  /** As `EventsOfWorld.bytes`. */
  get bytes(): number {
    return this.#log.bytes
  }

  /** As `EventsOfWorld.spent`. */
  get spent(): number {
    return this.#log.spent
  }

  /** As `EventsOfWorld.ready`: to be waited for by whoever reads events. */
  ready(): Promise<void> | undefined {
    return this.#log.ready()
  }

  /** As `EventsOfWorld.goBy`. */
  goBy(clock: ChangeClock): void {
    this.#log.goBy(clock)
  }

  /** To go on from here, whether there was an event yet or not. */
  get lastId(): string {
    return this.#log.lastId
  }

  /** How many events there were. */
  get count(): number {
    return this.#log.count
  }

  get listeners(): number {
    return this.#onClose.size
  }

  /** As `EventsOfWorld.watched`. */
  get watched(): boolean {
    return this.#log.watched
  }

  /** As `EventsOfWorld.watch`. */
  watch(): Watcher {
    return this.#log.watch()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** As `EventsOfWorld.follow`. */
  follow(version: number): boolean {
    return this.#log.follow(version)
  }

  /** As `EventsOfWorld.publish`. */
  publish<Subject>(type: string, at: number, subject: Subject, view: EventView<Subject>, bytes = 0): void {
    this.#log.publish(type, at, subject, view, bytes)
  }

  /** To be called when an event could not be told. */
  failed(error: unknown, event: WorldEvent): void {
    this.#onEventError(error, event)
  }

  /** As `EventsOfWorld.at`. */
  at(number: number): WorldEvent | undefined {
    return this.#log.at(number)
  }

  /** As `EventsOfWorld.position`. */
  position(id: string): number | undefined {
    return this.#log.position(id)
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
    if (!this.#closed) this.#stop ??= this.#log.listen((event) => this.#listeners.tell(event))
    const stops = [this.#listeners.add(listener), this.#onClose.add(closed)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Lets every listener go. */
  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#onClose.tell()
    this.#listeners.clear()
    this.#onClose.clear()
    this.#onAccessChange.clear()
  }
}
