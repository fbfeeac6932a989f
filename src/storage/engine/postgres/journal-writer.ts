import { hideCredentials, isSecretName } from '../../../lib/log/redact.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { JournalEntry } from '../journal.ts'
import type { Database } from './database.ts'
import { type Sums, type SumsOfWorld, nextIds, putRequests } from './journal-statements.ts'

/** The record of one life of a world, as it is written. */
export interface WrittenRecord {
  readonly world: string
  readonly life: string
  /** Takes note of how the record is now. */
  noteSums(sums: Sums): void
  /** Takes out what is to be written, by number. */
  takeUnwritten(): readonly (readonly [n: number, Unwritten])[]
  /** What could not be written without a database: it is to be written still. */
  putBack(unwritten: readonly (readonly [n: number, Unwritten])[]): void
  /** Forgets the oldest where there are too many. */
  forgetOldest(): Promise<void>
}

export interface Unwritten {
  readonly entry: JournalEntry
  readonly bytes: number
}

interface Wanting {
  readonly record: WrittenRecord
  readonly given: ((id: string) => void)[]
  readonly failed: ((error: unknown) => void)[]
}

/** Gives ids and puts requests on record, in one statement for all worlds that want some while another is under way. */
export class JournalWriter {
  readonly #database: Database
  /** Who waits for ids, by world and life. */
  #wanting = new Map<string, Wanting>()
  #giving = false
  #unwritten = new Set<WrittenRecord>()
  #writing: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  nextId(record: WrittenRecord): Promise<string> {
    const key = keyOf(record)
    return new Promise((resolve, reject) => {
      const wanting = this.#wanting.get(key)
      if (wanting) {
        wanting.given.push(resolve)
        wanting.failed.push(reject)
      } else this.#wanting.set(key, { record, given: [resolve], failed: [reject] })
      if (!this.#giving) void this.#give()
    })
  }

  /** Writes what a record has to be written, and all that others have. */
  async write(record: WrittenRecord): Promise<void> {
    this.#unwritten.add(record)
    await (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)))
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#writing
  }

  async #give(): Promise<void> {
    this.#giving = true
    // Whoever asks in this turn is served with the first.
    await undefined
    while (this.#wanting.size > 0) {
      // Rows are locked in one order, whoever asks.
      const wanting = new Map([...this.#wanting].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      this.#wanting = new Map()
      const all = [...wanting.values()]
      try {
        const rows = await this.#database.query<SumsOfWorld>(nextIds, [
          all.map(({ record }) => record.world),
          all.map(({ record }) => record.life),
          all.map(({ given }) => given.length),
        ])
        for (const row of rows) {
          const { record, given } = wanting.get(keyOf(row))!
          record.noteSums(row)
          const first = row.made - given.length + 1
          for (const [n, resolve] of given.entries()) resolve(`req_${first + n}`)
        }
      } catch (error) {
        for (const { failed } of all) for (const reject of failed) reject(error)
      }
    }
    this.#giving = false
  }

  async #writeAll(): Promise<void> {
    // All that ends in this turn is written with the first.
    await undefined
    while (this.#unwritten.size > 0) {
      const taken = [...this.#unwritten].map((record) => ({ record, unwritten: record.takeUnwritten() }))
      const records = new Map(taken.map(({ record }) => [keyOf(record), record]))
      this.#unwritten = new Set()
      const entries = taken.flatMap(({ record, unwritten }) =>
        unwritten.map(([n, { entry, bytes }]) => ({ record, n, entry, bytes })),
      )
      if (entries.length === 0) continue
      try {
        const rows = await this.#database.query<SumsOfWorld>(putRequests, [
          entries.map(({ record }) => record.world),
          entries.map(({ record }) => record.life),
          entries.map(({ n }) => n),
          entries.map(({ entry }) => JSON.stringify(withoutCredentials(entry))),
          entries.map(({ bytes }) => bytes),
          entries.map(({ entry }) => entry.answered),
        ])
        for (const row of rows) records.get(keyOf(row))!.noteSums(row)
        for (const record of records.values()) await record.forgetOldest()
      } catch (error) {
        if (error instanceof StoreUnavailable)
          for (const { record, unwritten } of taken) record.putBack(unwritten)
        throw error
      }
    }
  }
}

/** The record outlives the request by far, and a dump of the database has all of it. */
const withoutCredentials = (entry: JournalEntry): JournalEntry => ({
  ...entry,
  headers: entry.headers.map((text, n) =>
    n % 2 === 1 && isSecretName(entry.headers[n - 1]!) ? hideCredentials(text) : text,
  ),
})

const keyOf = ({ world, life }: { readonly world: string; readonly life: string }) => `${life} ${world}`
