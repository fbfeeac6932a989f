import { LookupIndex } from './lookup-index.ts'
import { OrderIndex } from './order-index.ts'
import { Slots } from './slots.ts'
import type { Key, Table } from './tables.ts'

/** Below this many slots, empty ones are not worth reclaiming. */
const FEW_SLOTS = 64

/** A running sum of what rows take, of all tables that share it. */
export interface Tally {
  bytes: number
}

interface Lookup<Row> {
  readonly name: string
  readonly valuesOf: (row: Row) => Key | readonly Key[]
  readonly index: LookupIndex
}

/**
 * One table of one world. A row lives in a slot; slots are given out in ascending order, so a lower slot means
 * an older row. `set` is the only way in, and keeps look-ups and orders true.
 */
export class TableRows<Row> {
  /** Tells it from the other tables of its world. */
  readonly number: number
  readonly #tally: Tally
  readonly #table: Table<Row, string, string>
  readonly #slots = new Slots()
  #rows: (Row | undefined)[] = []
  /** Whether older rows have lower keys, so that a key tells where to look for it. */
  #ascending = true
  /** Counts the changes that replaced or took out rows which were there before: others have only added some. */
  revision = 0
  readonly #lookups: Lookup<Row>[]
  readonly #orders: { readonly name: string; readonly index: OrderIndex<Row> }[]

  constructor(table: Table<Row, string, string>, number = 0, tally: Tally = { bytes: 0 }) {
    this.#tally = tally
    this.#table = table
    this.number = number
    const slotOf = (key: Key) => this.#slots.get(key)!
    this.#lookups = Object.entries(table.lookups).map(([name, valuesOf]) => ({
      name,
      valuesOf,
      index: new LookupIndex(slotOf),
    }))
    this.#orders = Object.entries(table.orders).map(([name, order]) => ({
      name,
      index: new OrderIndex<Row>(order),
    }))
  }

  get size(): number {
    return this.#slots.size
  }

  keyOf(row: Row): Key {
    return this.#table.key(row)
  }

  get(key: Key): Row | undefined {
    const slot = this.#slots.get(key)
    return slot === undefined ? undefined : this.#rows[slot]
  }

  slotOf(key: Key): number | undefined {
    return this.#slots.get(key)
  }

  /** The slot that a new row goes to. */
  get nextSlot(): number {
    return this.#rows.length
  }

  at(slot: number): Row | undefined {
    return this.#rows[slot]
  }

  /** Every slot, for a copy of the table as it is now. */
  slots(): (Row | undefined)[] {
    return this.#rows.slice()
  }

  /** Every row, oldest first. */
  all(): Row[] {
    return this.from(0)
  }

  /** The rows from a slot on, oldest first. */
  from(slot: number): Row[] {
    // Where no slot is empty a copy does, which costs a tenth.
    const full = this.#rows.length === this.#slots.size
    return full
      ? (this.#rows.slice(slot) as Row[])
      : this.#rows.slice(slot).filter((row) => row !== undefined)
  }

  /** At most `limit` rows with keys below this one, the highest first. */
  below(key: Key, limit: number): Row[] {
    const rows = this.#rows
    if (!this.#ascending) {
      const lower = this.all().filter((row) => this.keyOf(row) < key)
      return lower.sort((a, b) => (this.keyOf(a) < this.keyOf(b) ? 1 : -1)).slice(0, limit)
    }
    const found: Row[] = []
    for (let at = this.#placeOf(key) - 1; at >= 0 && found.length < limit; at -= 1) {
      const row = rows[at]
      if (row !== undefined) found.push(row)
    }
    return found
  }

  /** The rows under a value, oldest first. */
  find(lookup: string, value: Key): Row[] {
    return this.#rowsOf(named(this.#lookups, lookup).keys(value))
  }

  /** A page of the rows under a value, newest first. */
  newest(lookup: string, value: Key, offset: number, limit: number): Row[] {
    const keys = named(this.#lookups, lookup).keys(value)
    const end = Math.max(0, keys.length - offset)
    return this.#rowsOf(keys.slice(Math.max(0, end - limit), end)).reverse()
  }

  count(order: string, group: Key): number {
    return named(this.#orders, order).group(group).size
  }

  walk(order: string, group: Key, offset: number, limit: number, newestFirst: boolean): Row[] {
    return this.#rowsOf(named(this.#orders, order).group(group).keys(offset, limit, newestFirst))
  }

  /** Puts a row in a slot, or empties the slot. A slot that has a row only takes rows with the same key. */
  set(slot: number, row: Row | undefined): void {
    const before = this.#rows[slot]
    const known = row ?? before
    if (known === undefined) return
    if (before) this.#tally.bytes -= this.#table.bytes(before)
    if (row) this.#tally.bytes += this.#table.bytes(row)
    const key = this.#table.key(known)
    if (!before) {
      this.#slots.set(key, slot)
      if (this.#ascending) this.#ascending = this.#isAbove(key, slot)
    }
    this.#rows[slot] = row
    for (const { index, valuesOf } of this.#lookups)
      index.replace(key, before && valuesOf(before), row && valuesOf(row))
    for (const { index } of this.#orders) index.replace(key, before, row)
    if (!row) this.#slots.delete(key)
  }

  /** Gives back empty slots. Slot numbers change, so it must not run inside a change. */
  tidy(): void {
    const rows = this.#rows
    while (rows.length > 0 && rows[rows.length - 1] === undefined) rows.pop()
    const sparse = rows.length >= FEW_SLOTS && rows.length >= 2 * this.#slots.size
    if (!sparse && !this.#slots.hollow) return
    this.#rows = this.all()
    this.#slots.clear()
    this.#rows.forEach((row, slot) => this.#slots.set(this.#table.key(row!), slot))
  }

  /** Whether the row before a slot, if there is one, has a lower key. */
  #isAbove(key: Key, slot: number): boolean {
    let at = slot - 1
    while (at >= 0 && this.#rows[at] === undefined) at -= 1
    return at < 0 || this.keyOf(this.#rows[at]!) < key
  }

  /** The first slot whose row has this key or a higher one; keys ascend. */
  #placeOf(key: Key): number {
    const rows = this.#rows
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      let at = middle
      while (at < high && rows[at] === undefined) at += 1
      if (at < high && this.keyOf(rows[at]!) < key) low = at + 1
      else high = middle
    }
    return low
  }

  #rowsOf(keys: readonly Key[]): Row[] {
    return keys.map((key) => this.#rows[this.#slots.get(key)!]!)
  }
}

function named<Index>(list: readonly { name: string; index: Index }[], name: string): Index {
  const found = list.find((each) => each.name === name)
  if (!found) throw new Error(`There is no "${name}"; declared: ${list.map((each) => each.name).join(', ')}`)
  return found.index
}
