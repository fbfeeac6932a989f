import { Listeners, surfaceError } from '../../../lib/listeners.ts'
import type { JournalEntry, JournalLimits, JournalRecord, JournalStore } from '../journal.ts'

export class MemoryJournal implements JournalStore {
  readonly #worlds = new Map<string, MemoryRecord>()

  open(world: string, limits: JournalLimits): JournalRecord {
    let record = this.#worlds.get(world)
    if (!record) this.#worlds.set(world, (record = new MemoryRecord(limits)))
    return record
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
}

class MemoryRecord implements JournalRecord {
  /** The n-th request is at `(n - 1) % most`. A map would get slower, as its oldest entry is deleted each time. */
  readonly #ring: (JournalEntry | undefined)[] = []
  readonly #listeners = new Listeners<[entry: JournalEntry]>(surfaceListener)
  readonly #most: number
  readonly #mostBytes: number
  /** The bytes counted for each entry; 0 until it has a response. */
  readonly #counted: number[] = []
  #bytes = 0
  #made = 0
  #forgotten = 0

  constructor({ requests, bytes }: JournalLimits) {
    this.#most = requests
    this.#mostBytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#made - this.#forgotten
  }

  look(): undefined {
    return undefined
  }

  nextId(): string {
    return `req_${++this.#made}`
  }

  add(entry: JournalEntry): void {
    const slot = this.#slotOf(numberOf(entry.id))
    this.#count(slot, 0)
    this.#ring[slot] = entry
    this.#forgotten = Math.max(this.#forgotten, this.#made - this.#most)
  }

  answered(entry: JournalEntry, bytes: number): void {
    const slot = this.#slotOf(numberOf(entry.id))
    if (this.#ring[slot]?.id === entry.id) {
      this.#ring[slot] = entry
      this.#count(slot, bytes)
    }
    while (this.#bytes > this.#mostBytes && this.size > 1) this.#forgetOldest()
    this.#listeners.tell(entry)
  }

  async get(id: string): Promise<JournalEntry | undefined> {
    return this.#get(id)
  }

  async remembered(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(ids.filter((id) => this.#get(id) !== undefined))
  }

  async all(): Promise<readonly JournalEntry[]> {
    return Array.from({ length: this.size }, (_, i) => this.#ring[(this.#forgotten + i) % this.#most]!)
  }

  async newest(most: number): Promise<readonly JournalEntry[]> {
    const length = Math.min(most, this.size)
    return Array.from({ length }, (_, i) => this.#ring[(this.#made - 1 - i) % this.#most]!)
  }

  async clear(): Promise<number> {
    const { size } = this
    this.#forgotten = this.#made
    this.#ring.fill(undefined)
    this.#counted.fill(0)
    this.#bytes = 0
    return size
  }

  onAnswered(listener: (entry: JournalEntry) => void): () => void {
    return this.#listeners.add(listener)
  }

  #get(id: string): JournalEntry | undefined {
    const number = numberOf(id)
    const entry = number > this.#forgotten ? this.#ring[this.#slotOf(number)] : undefined
    return entry?.id === id ? entry : undefined
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

  #slotOf(number: number): number {
    return (number - 1) % this.#most
  }
}

const surfaceListener = (error: unknown) => surfaceError(error, { of: 'response' })
const numberOf = (id: string) => Number(id.slice('req_'.length))
