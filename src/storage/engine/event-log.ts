import type { RowChange } from '../store/change.ts'

/** An event of a world, as it is streamed. */
export interface WorldEvent {
  /**
   * The life of the world's events, the version of the store that it followed, and its index within that version, for example
   * `mqc5x0w0-12.3`. Later events have higher ids, even after resets.
   */
  readonly id: string
  readonly at: number
  readonly type: string
  /** Returns the event's JSON, which is built when it is read. */
  data(): unknown
}

export type EventView<Subject> = (subject: Subject) => unknown

/** Publishes an event. `view` builds its JSON from the subject; `bytes` is the memory that the subject takes. */
export type Publish = <Subject>(
  type: string,
  at: number,
  subject: Subject,
  view: EventView<Subject>,
  bytes?: number,
) => void

/** Returns the time of a change, milliseconds on the world's clock as it is set after it. */
export type ChangeClock = (written: readonly RowChange[]) => number

/** The initial state of a world's events. */
export interface FirstEvents {
  /** Distinguishes the events from those in an earlier world or process; of `0-9a-z`. */
  readonly life: string
  /** Maximum memory for the subjects of remembered events; the last event is always remembered. */
  readonly mostBytes: number
  /** Publishes the events of a change: the same every time and in every process. */
  readonly ofRows: (written: readonly RowChange[], at: number, publish: Publish) => void
}

export interface EventLog {
  /** Returns the events of a world. @param first - Used if they are not open yet. */
  open(world: string, first: FirstEvents): EventsOfWorld
}

/** Someone who watches the phones of a world. */
export interface Watcher {
  /** Resolves when all processes know, or undefined if they do. */
  readonly known: Promise<void> | undefined
  leave(): void
}

/** The last events of a world. */
export interface EventsOfWorld {
  /** Memory that the subjects of the remembered events take in this process. */
  readonly bytes: number
  /** The part of `bytes` that counts towards the world's budget, the same in all processes. */
  readonly spent: number
  /** Reads the events that are not in memory yet, or undefined if all always are. */
  ready(): Promise<void> | undefined
  /** Sets the clock for the events of changes. */
  goBy(clock: ChangeClock): void
  readonly count: number
  /** The position of the last event, to continue from. */
  readonly lastId: string
  /**
   * Advances to a version of the store: later events are published as following it.
   * @returns false if it was already processed
   */
  follow(version: number): boolean
  /** Publishes an event that is not derived from rows. */
  readonly publish: Publish
  /** Returns an event by its number, counted from 1, or undefined if it is forgotten or does not exist yet. */
  at(number: number): WorldEvent | undefined
  /**
   * Returns the number of the last event up to `id`, or that before the oldest remembered event if `id` is of another life or
   * forgotten.
   * @param id - An event id, or the version alone; the result is undefined if it is neither.
   */
  position(id: string): number | undefined
  watch(): Watcher
  /** Whether anyone watches the phones, in any process, as of the last read of the world. */
  readonly watched: boolean
  /** Calls `listener`, which must not throw, after each event. Returns a function that removes it. */
  listen(listener: (event: WorldEvent) => void): () => void
}
