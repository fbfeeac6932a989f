import type { RowChange } from '../store/store.ts'

/** Something that happened in a world, as it is streamed. */
export interface WorldEvent {
  /**
   * The life of the world's events, the store's change after which it happened, and its place among what happened from
   * there to the next: `mqc5x0w0-12.3`. Later ones are higher, over resets too.
   */
  readonly id: string
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly type: string
  /** The event's JSON, made when somebody reads it. */
  data(): unknown
}

/** Makes the JSON of an event about something. */
export type EventView<Subject> = (subject: Subject) => unknown

/** Takes an event. @param bytes what the subject takes in memory */
export type Publish = <Subject>(
  type: string,
  at: number,
  subject: Subject,
  view: EventView<Subject>,
  bytes?: number,
) => void

/** Says when a change happens that wrote these rows, milliseconds on the world's clock as it goes from then on. */
export type ChangeClock = (written: readonly RowChange[]) => number

/** What a world's events begin with, where there are none yet. */
export interface FirstEvents {
  /** Tells them from those of an earlier world of that name, or of an earlier process; of `0-9a-z`. */
  readonly life: string
  /** What the subjects of the events that are remembered may take; the last one is always remembered. */
  readonly mostBytes: number
  /** Publishes what a change wrote; the same whenever and wherever it is asked. */
  readonly ofRows: (written: readonly RowChange[], at: number, publish: Publish) => void
}

/** What happened in each world, told alike by all who share the log. */
export interface EventLog {
  /** The events of a world, until it is dropped. @param first for whoever opens them first; the others go on with what is there */
  open(world: string, first: FirstEvents): EventsOfWorld
}

/** One who watches the phones of a world. */
export interface Watcher {
  /** Resolves when all know; undefined where they do at once. */
  readonly known: Promise<void> | undefined
  /** To be called once. */
  leave(): void
}

/** What happened in one world; the last events are remembered. */
export interface EventsOfWorld {
  /** What the subjects of the events take that this process remembers. */
  readonly bytes: number
  /** What of that counts for the world's budget: the same for all who share the log. */
  readonly spent: number
  /**
   * Catches up with all that happened until now. Until then, and for as long as nobody has asked for it, there may be fewer events
   * than happened. Undefined where they are all there at any time.
   */
  ready(): Promise<void> | undefined
  /** Whose clock changes go by from now on. */
  goBy(clock: ChangeClock): void
  /** How many events there were. */
  readonly count: number
  /** To go on from here, whether there was an event yet or not. */
  readonly lastId: string
  /**
   * Goes on to a change of the store: what is published from now on happened by it, or after it and before the next.
   * @param version as `Store.onCommit` tells it
   * @returns false when it was told of already, by whoever else heard of it or by the log itself, and is not to be told again
   */
  follow(version: number): boolean
  /** Tells of something beside rows. @param view makes the event's JSON of its subject, as often as somebody reads it */
  readonly publish: Publish
  /** The event of this number, counted from 1; undefined when it is forgotten or has not happened yet. */
  at(number: number): WorldEvent | undefined
  /**
   * The number of the event after which somebody goes on who has seen `id`; the one before the oldest that is remembered
   * when it is of another life or forgotten.
   * @param id of an event, or the version alone for one of this life; undefined when it is neither
   */
  position(id: string): number | undefined
  /** Counts one more who watches the phones of the world. */
  watch(): Watcher
  /** Whether somebody does, for all who share the log; as of the last look at the world's rows. */
  readonly watched: boolean
  /** Calls `listener`, which does not throw, after each event. Returns how to stop. */
  listen(listener: (event: WorldEvent) => void): () => void
}
