import { Listeners, type OnError } from '../lib/listeners.ts'
import { noState } from '../scenarios/state.ts'
import type { JournalEntry, JournalRecord } from '../storage/engine/journal.ts'
import { changingBytes, textBytes } from '../storage/store/row-bytes.ts'
import { ReadRequest } from './request-record.ts'

export type { JournalEntry } from '../storage/engine/journal.ts'

/** Characters of a body that are kept. */
export const BODY_KEPT = 65_536

/** What an entry keeps beside the texts it was sent. */
const ENTRY = 600
/** What the parsed fields of a body take for each of its characters; they are kept to explain how it was decided. */
const PARSED = 4

/** What scenario files take that were compiled, for each of their bytes. */
const COMPILED = 4

/** What an entry keeps in memory, bytes; final once it is answered. */
export function entryBytes(entry: JournalEntry): number {
  let bytes = ENTRY + textBytes(entry.url) + textBytes(entry.body) + textBytes(entry.sent)
  for (const text of entry.headers) bytes += textBytes(text)
  return entry.decided ? bytes + PARSED * entry.body_length : bytes
}

type Listener = (request: ReadRequest) => void

/** The record of a world's last requests, as a sandbox writes and reads it. */
export class Journal {
  readonly #record: JournalRecord
  readonly #listeners: Listeners<[request: ReadRequest]>
  /** Follows the record while somebody listens. */
  #stop: (() => void) | undefined
  /** The scenario files that the last request met. */
  #files: object = noState.files

  /** @param onError takes what listeners throw */
  constructor(record: JournalRecord, onError: OnError) {
    this.#record = record
    this.#listeners = new Listeners((error, { entry }) => onError(error, { of: 'answer', request: entry.id }))
  }

  /** What the requests that were answered take. */
  get bytes(): number {
    return this.#record.bytes
  }

  get size(): number {
    return this.#record.size
  }

  /** As `JournalRecord.look`: before its size or bytes are told. */
  look(): Promise<unknown> | undefined {
    return this.#record.look()
  }

  /** The id of the next request, at once where nobody else has to be asked. */
  nextId(): string | Promise<string> {
    return this.#record.nextId()
  }

  /** Keeps the request that an id was given to. */
  add(entry: JournalEntry): void {
    this.#record.add(entry)
  }

  /** Keeps a request that has its answer now, and tells whoever waits. Returns what it takes, bytes. */
  answered(entry: JournalEntry): number {
    const bytes = entryBytes(entry) + this.#filesOf(entry)
    this.#record.answered(entry, bytes)
    return bytes
  }

  /**
   * Calls `listener` for each request that is answered from now on; what one of them reads of it is read for all. Returns how
   * to stop.
   */
  onAnswered(listener: Listener): () => void {
    this.#stop ??= this.#record.onAnswered((entry) => this.#listeners.tell(new ReadRequest(entry)))
    const remove = this.#listeners.add(listener)
    return () => {
      remove()
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  get(id: string): Promise<JournalEntry | undefined> {
    return this.#record.get(id)
  }

  /** Those of the requests with these ids that are not forgotten, by id. */
  remembered(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#record.remembered(ids)
  }

  /** Oldest first. */
  all(): Promise<readonly JournalEntry[]> {
    return this.#record.all()
  }

  /** The last so many, newest first. */
  newest(most: number): Promise<readonly JournalEntry[]> {
    return this.#record.newest(most)
  }

  /** Returns how many there were. */
  clear(): Promise<number> {
    return this.#record.clear()
  }

  /** The world's own scenario files, once for each time that they were others: a request keeps those it met. */
  #filesOf({ decided }: JournalEntry): number {
    const files = decided?.state.files
    if (files === undefined || files === this.#files) return 0
    this.#files = files
    return COMPILED * changingBytes(files)
  }
}

/**
 * The beginning of a text, as a text of its own: a slice is a view that keeps all of what it was cut from in memory.
 * A pair of surrogates that the cut parts becomes U+FFFD.
 */
export const beginningOf = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
