import type { Considered } from '../scenarios/explain.ts'

/** One request of a world with its answer, as it came and went. Whoever shows it redacts its secrets. */
export interface JournalEntry {
  readonly id: string
  /** Milliseconds on the world's clock. */
  readonly at: number
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  readonly operation: string
  readonly username: string
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[]
  /** The text of the body; empty when there was none. */
  body: string
  status: number
  /** The answer's JSON. */
  answer: unknown
  /** What was wrong with the answer on purpose. */
  fault?: string | undefined
  /** How scenarios decided; absent when the request was refused before they were asked. */
  considered?: Considered | undefined
  /** Milliseconds on the wall from arrival to answer. */
  duration_ms: number
}

/** The last requests of a world, the oldest forgotten first. */
export class Journal {
  readonly #entries = new Map<string, JournalEntry>()
  readonly #most: number
  #made = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The id of the next request. */
  nextId(): string {
    return `req_${++this.#made}`
  }

  add(entry: JournalEntry): void {
    this.#entries.set(entry.id, entry)
    if (this.#entries.size > this.#most) this.#entries.delete(this.#entries.keys().next().value!)
  }

  get(id: string): JournalEntry | undefined {
    return this.#entries.get(id)
  }

  /** Oldest first. */
  all(): readonly JournalEntry[] {
    return [...this.#entries.values()]
  }

  clear(): void {
    this.#entries.clear()
  }
}
