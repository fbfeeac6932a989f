import type { Caller } from '../../service/domain/context.ts'
import type { SentParts } from '../../service/domain/facts.ts'
import type { DecisionRecord } from '../../scenarios/explain.ts'

/** What was decided of a request, and the request as it was looked at. */
export interface DecidedRequest extends DecisionRecord {
  readonly caller: Caller
  readonly sent: SentParts
  /** The country of the Team that it is about, where that decided something. */
  readonly home?: string | undefined
}

/**
 * One request of a world with its answer, as it came and went: texts and plain data, which any process can read. Whoever
 * shows it redacts its secrets.
 */
export interface JournalEntry {
  readonly id: string
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly method: string
  /** The whole URL as it was sent. */
  readonly url: string
  /** The operation's id; empty when the request met none. */
  readonly operation: string
  readonly username: string
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[]
  /** The text of the body, its first 64 KiB; empty when there was none. */
  body: string
  /** Characters of the whole body. */
  body_length: number
  /** 0 until it is answered, and when the connection was cut instead. */
  status: number
  /** It is dealt with, by an answer or by a cut. */
  answered: boolean
  /** The text of the answer's JSON; empty when there is none. */
  sent: string
  /** What was wrong with the answer on purpose. */
  fault?: string | undefined
  /** How scenarios decided; absent when the request was refused before they were asked. */
  decided?: DecidedRequest | undefined
  /** Milliseconds on the wall from arrival to answer. */
  duration_ms: number
}

export interface JournalLimits {
  /** How many requests it remembers. */
  readonly requests: number
  /** How many bytes; the last request is remembered however large it is. */
  readonly bytes: number
}

/** The last requests of each world, the oldest forgotten first. */
export interface JournalStore {
  /**
   * The record of a world: one for all who open it, until the world is dropped or its rows are replaced. From then on
   * whoever has it keeps it to himself, and who opens it gets an empty one that counts from 1.
   * @param limits of the first who opens it
   */
  open(world: string, limits: JournalLimits): JournalRecord
}

/**
 * Requests wait for nothing that is written here: writing is in order and reads see what was written before, but no
 * write says when it is safe.
 */
export interface JournalRecord {
  /**
   * The id of the next request: `req_1`, `req_2`; no two are alike, whoever asks. Its request is added at once. A promise where
   * others share the record: they have to be asked.
   */
  nextId(): string | Promise<string>
  /** Keeps the request that an id was given to; until it is answered it may be shown as it is now. */
  add(entry: JournalEntry): void
  /**
   * Keeps the request as it is now that it has its answer, where it is not forgotten, and tells whoever listens.
   * @param bytes what it takes
   */
  answered(entry: JournalEntry, bytes: number): void
  get(id: string): Promise<JournalEntry | undefined>
  /** Those of the requests with these ids that are remembered, by id. */
  remembered(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Oldest first. */
  all(): Promise<readonly JournalEntry[]>
  /** The last so many, newest first. */
  newest(most: number): Promise<readonly JournalEntry[]>
  /** Forgets all of them; ids go on. Returns how many there were. */
  clear(): Promise<number>
  /** Counts anew what others have done; undefined where nobody has to be asked. */
  look(): Promise<unknown> | undefined
  /** How many there are; a running sum, so asking costs nothing. As of the last request or look of this process. */
  readonly size: number
  /** What those that were answered take; a running sum likewise. */
  readonly bytes: number
  /** Calls `listener`, which does not throw, for each request that is answered from now on, whoever answers it. Returns how to stop. */
  onAnswered(listener: (entry: JournalEntry) => void): () => void
}
