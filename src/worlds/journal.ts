import { type OnError, Listeners } from '../listeners.ts'
import type { Caller } from '../domain/context.ts'
import type { Sent } from '../domain/facts.ts'
import type { DecisionRecord } from '../scenarios/explain.ts'
import { noState } from '../scenarios/state.ts'
import { changingBytes, textBytes } from '../store/row-bytes.ts'
import { ReadRequest } from './request-facts.ts'

/** What was decided of a request, and the request as it was looked at. */
export interface DecidedRequest extends DecisionRecord {
  readonly caller: Caller
  readonly sent: Sent
}

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
  /** Characters of the whole body. */
  body_length: number
  /** What it keeps in memory, bytes; final once it is answered. */
  readonly bytes: number
  /** 0 until it is answered, and when the connection was cut instead. */
  status: number
  /** It is dealt with, by an answer or by a cut. */
  answered: boolean
  /** The answer's JSON. */
  answer: unknown
  /** What was wrong with the answer on purpose. */
  fault?: string | undefined
  /** How scenarios decided; absent when the request was refused before they were asked. */
  decided?: DecidedRequest | undefined
  /** Milliseconds on the wall from arrival to answer. */
  duration_ms: number
}

/** Characters of a body that are kept. */
export const BODY_KEPT = 65_536

/** What an entry keeps beside the texts it was sent. */
const ENTRY = 600
/** What the parsed fields of a body take for each of its characters; they are kept to explain how it was decided. */
const PARSED = 4

/** What scenario files take that were compiled, for each of their bytes. */
const COMPILED = 4

/** @param sent the text of the answer */
export function entryBytes(entry: Omit<JournalEntry, 'bytes' | 'answer'>, sent: string): number {
  let bytes = ENTRY + textBytes(entry.url) + textBytes(entry.body) + textBytes(sent)
  for (const text of entry.headers) bytes += textBytes(text)
  return entry.decided ? bytes + PARSED * entry.body_length : bytes
}

type Listener = (request: ReadRequest) => void

export interface JournalLimits {
  /** How many requests it remembers. */
  readonly requests: number
  /** How many bytes; the last request is remembered however large it is. */
  readonly bytes: number
}

/** The last requests of a world, the oldest forgotten first. */
export class Journal {
  /** The n-th request is at `(n - 1) % most`: a map of which the oldest is always deleted looks for it ever longer. */
  readonly #ring: (JournalEntry | undefined)[] = []
  readonly #listeners: Listeners<[request: ReadRequest]>
  readonly #most: number
  readonly #mostBytes: number
  /** What each entry of the ring was counted for; 0 while it is not answered. */
  readonly #counted: number[] = []
  #bytes = 0
  /** The scenario files that the last request met. */
  #files: object = noState.files
  /** How many ids were given. */
  #made = 0
  /** How many of them are forgotten. */
  #forgotten = 0

  /** @param onError takes what listeners throw */
  constructor({ requests, bytes }: JournalLimits, onError: OnError) {
    this.#most = requests
    this.#mostBytes = bytes
    this.#listeners = new Listeners((error, { entry }) => onError(error, { of: 'answer', request: entry.id }))
  }

  /** What the requests that were answered take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The id of the next request. */
  nextId(): string {
    return `req_${++this.#made}`
  }

  /** Keeps the request that the last id was given to. */
  add(entry: JournalEntry): void {
    const slot = (this.#made - 1) % this.#most
    this.#count(slot, 0)
    this.#ring[slot] = entry
    this.#forgotten = Math.max(this.#forgotten, this.#made - this.#most)
  }

  /**
   * Counts what a request takes now that it has its answer, and tells whoever waits; what one of them reads of it is read for
   * all. Returns the count.
   */
  answered(entry: JournalEntry): number {
    const bytes = entry.bytes + this.#filesOf(entry)
    const slot = (numberOf(entry.id) - 1) % this.#most
    if (this.#ring[slot] === entry) this.#count(slot, bytes)
    while (this.#bytes > this.#mostBytes && this.size > 1) this.#forgetOldest()
    if (this.#listeners.size > 0) this.#listeners.tell(new ReadRequest(entry))
    return bytes
  }

  /** Calls `listener` for each request that is answered from now on. Returns how to stop. */
  onAnswered(listener: Listener): () => void {
    return this.#listeners.add(listener)
  }

  get(id: string): JournalEntry | undefined {
    const number = numberOf(id)
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
    this.#counted.fill(0)
    this.#bytes = 0
    return size
  }

  /** The world's own scenario files, once for each time that they were others: a request keeps those it met. */
  #filesOf({ decided }: JournalEntry): number {
    const files = decided?.state.files
    if (files === undefined || files === this.#files) return 0
    this.#files = files
    return COMPILED * changingBytes(files)
  }

  #forgetOldest(): void {
    const slot = this.#forgotten++ % this.#most
    this.#count(slot, 0)
    this.#ring[slot] = undefined
  }

  #count(slot: number, bytes: number): void {
    this.#bytes += bytes - (this.#counted[slot] ?? 0)
    this.#counted[slot] = bytes
  }
}

const numberOf = (id: string) => Number(id.slice('req_'.length))
