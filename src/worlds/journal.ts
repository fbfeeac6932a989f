import { type ListenerFault, Listeners } from '../listeners.ts'
import type { Considered } from '../scenarios/explain.ts'
import { ReadRequest } from './request-facts.ts'

/** One request of a world with its answer, as it came and went. Whoever shows it redacts its secrets. */
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
  /** 0 until it is answered, and when the connection was cut instead. */
  status: number
  /** It is dealt with, by an answer or by a cut. */
  answered: boolean
  /** The answer's JSON. */
  answer: unknown
  /** What was wrong with the answer on purpose. */
  fault?: string | undefined
  /** How scenarios decided; absent when the request was refused before they were asked. */
  considered?: Considered | undefined
  /** Milliseconds on the wall from arrival to answer. */
  duration_ms: number
}

/** Characters of a body that are kept. */
export const BODY_KEPT = 65_536

type Listener = (request: ReadRequest) => void

/** The last requests of a world, the oldest forgotten first. */
export class Journal {
  /** The n-th request is at `(n - 1) % most`: a map of which the oldest is always deleted looks for it ever longer. */
  readonly #ring: (JournalEntry | undefined)[] = []
  readonly #listeners: Listeners<[request: ReadRequest]>
  readonly #most: number
  /** How many ids were given. */
  #made = 0
  /** How many of them are forgotten. */
  #forgotten = 0

  /** @param onFault takes what listeners throw */
  constructor(most: number, onFault: ListenerFault) {
    this.#most = most
    this.#listeners = new Listeners((error, { entry }) => onFault(error, { of: 'answer', request: entry.id }))
  }

  /** The id of the next request. */
  nextId(): string {
    return `req_${++this.#made}`
  }

  /** Keeps the request that the last id was given to. */
  add(entry: JournalEntry): void {
    this.#ring[(this.#made - 1) % this.#most] = entry
    this.#forgotten = Math.max(this.#forgotten, this.#made - this.#most)
  }

  /** Tells whoever waits that a request has its answer; what one of them reads of it is read for all. */
  answered(entry: JournalEntry): void {
    if (this.#listeners.size > 0) this.#listeners.tell(new ReadRequest(entry))
  }

  /** Calls `listener` for each request that is answered from now on. Returns how to stop. */
  onAnswered(listener: Listener): () => void {
    return this.#listeners.add(listener)
  }

  get(id: string): JournalEntry | undefined {
    const number = Number(id.slice('req_'.length))
    const entry = number > this.#forgotten ? this.#ring[(number - 1) % this.#most] : undefined
    return entry?.id === id ? entry : undefined
  }

  /** Oldest first. */
  all(): readonly JournalEntry[] {
    return Array.from({ length: this.size }, (_, i) => this.#ring[(this.#forgotten + i) % this.#most]!)
  }

  get size(): number {
    return this.#made - this.#forgotten
  }

  /** Returns how many there were. */
  clear(): number {
    const { size } = this
    this.#forgotten = this.#made
    this.#ring.fill(undefined)
    return size
  }
}
