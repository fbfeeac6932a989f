import type { Caller } from '../../service/domain/context.ts'
import type { BehindKyc, SentParts } from '../../service/domain/facts.ts'
import type { DecisionRecord } from '../../scenarios/explain.ts'

/** A request as scenarios saw it, with their decision. */
interface DecidedRequest extends DecisionRecord {
  readonly caller: Caller
  readonly sent: SentParts
  readonly behind?: BehindKyc | undefined
}

/** A request of a world with its response, as sent. Secrets are redacted when it is shown. */
export interface JournalEntry {
  readonly id: string
  readonly at: number
  readonly method: string
  readonly url: string
  /** The operation id; empty if no operation matched. */
  readonly operation: string
  readonly username: string
  /** Alternating names and values, as sent. */
  readonly headers: readonly string[]
  /** The first 64 KiB of the body. */
  body: string
  body_length: number
  /** 0 until there is a response, and if the connection was cut instead. */
  status: number
  /** Whether it has ended, with a response or a cut connection. */
  answered: boolean
  /** The JSON text of the response; empty if there is none. */
  sent: string
  /** The headers of the response; absent if there is none. */
  sent_headers?: Readonly<Record<string, string>> | undefined
  fault?: string | undefined
  /** Absent if the request was rejected before scenarios were matched. */
  decided?: DecidedRequest | undefined
  duration_ms: number
}

/** Maximum number and total size of the requests; the last request is always remembered. */
export interface JournalLimits {
  readonly requests: number
  readonly bytes: number
}

export interface JournalStore {
  /**
   * Returns the request log of a world, shared by all callers until the world is dropped or its rows are replaced. Then a new,
   * empty one starts from 1.
   * @param limits - Used if it is not open yet.
   */
  open(world: string, limits: JournalLimits): JournalRecord
}

/** Requests do not wait for writes to this log. Writes are in order and reads see earlier writes. */
export interface JournalRecord {
  /**
   * Returns a new id: `req_1`, `req_2`. A promise if several processes share the log. Its request is added immediately.
   * @param taken - From `handOver` of another process: the request keeps its id.
   */
  nextId(taken?: string): string | Promise<string>
  /** Leaves the response of a request to another process, which passes the result to `nextId`. */
  handOver?(entry: JournalEntry): Promise<string>
  add(entry: JournalEntry): void
  /**
   * Updates a request with its response, unless it is forgotten, and notifies listeners.
   * @param bytes - Memory that the entry takes.
   */
  answered(entry: JournalEntry, bytes: number): void
  get(id: string): Promise<JournalEntry | undefined>
  /** Returns which of these ids are still remembered. */
  remembered(ids: readonly string[]): Promise<ReadonlySet<string>>
  all(): Promise<readonly JournalEntry[]>
  /** Returns the last `most` requests, newest first. */
  newest(most: number): Promise<readonly JournalEntry[]>
  /** Removes all requests; ids continue. Returns the number of removed requests. */
  clear(): Promise<number>
  /** Updates `size` and `bytes` with the changes of other processes, or undefined if there are none. */
  look(): Promise<unknown> | undefined
  /** Number of requests, as of the last request or `look` of this process. */
  readonly size: number
  /** Memory of the requests with a response. */
  readonly bytes: number
  /** Calls `listener`, which must not throw, for each response in any process. Returns a function that removes it. */
  onAnswered(listener: (entry: JournalEntry) => void): () => void
}
