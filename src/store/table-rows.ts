import { LookupIndex } from './lookup-index.ts'
import { OrderIndex } from './order-index.ts'
import { PAGE, Pages } from './pages.ts'
import { Slots } from './slots.ts'
import type { Key, Table } from './tables.ts'

/** A page with fewer rows is put together with the one beside it, where that has few too. */
const FEW = PAGE / 4
/** How far away the page beside it may be. */
const NEAR = 8 * PAGE

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
  #rows = new Pages<Row>(0)
  /** The slot that a new row goes to. */
  #next = 0
  /** Slots in pages that have lost most of their rows. */
  #thin: number[] = []
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
    return slot === undefined ? undefined : this.#rows.get(slot)
  }

  slotOf(key: Key): number | undefined {
    return this.#slots.get(key)
  }

  /** The slot that a new row goes to. */
  get nextSlot(): number {
    return this.#next
  }

  at(slot: number): Row | undefined {
    return this.#rows.get(slot)
  }

  /** Every row, oldest first. */
  all(): Row[] {
    return this.#rows.values()
  }

  /** The rows from a slot on, oldest first. */
  from(slot: number): Row[] {
    return slot <= this.#rows.from
      ? this.all()
      : this.#rows.values((row, at) => (at < slot ? undefined : row))
  }

  /** At most `limit` rows with keys below this one, the highest first. */
  below(key: Key, limit: number): Row[] {
    if (!this.#ascending) {
      const lower = this.all().filter((row) => this.keyOf(row) < key)
      return lower.sort((a, b) => (this.keyOf(a) < this.keyOf(b) ? 1 : -1)).slice(0, limit)
    }
    const found: Row[] = []
    for (let at = this.#placeOf(key) - 1; at >= this.#rows.from && found.length < limit; at -= 1) {
      const row = this.#rows.get(at)
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
    const index = named(this.#lookups, lookup)
    const end = Math.max(0, index.count(value) - offset)
    return this.#rowsOf(index.page(value, Math.max(0, end - limit), end)).reverse()
  }

  count(order: string, group: Key): number {
    return named(this.#orders, order).group(group).size
  }

  walk(order: string, group: Key, offset: number, limit: number, newestFirst: boolean): Row[] {
    return this.#rowsOf(named(this.#orders, order).group(group).keys(offset, limit, newestFirst))
  }

  /** Puts a row in a slot, or empties the slot. A slot that has a row only takes rows with the same key. */
  set(slot: number, row: Row | undefined): void {
    const before = this.#rows.get(slot)
    const known = row ?? before
    if (known === undefined) return
    if (before) this.#tally.bytes -= this.#table.bytes(before)
    if (row) this.#tally.bytes += this.#table.bytes(row)
    const key = this.#table.key(known)
    if (!before) {
      this.#slots.set(key, slot)
      if (this.#ascending) this.#ascending = this.#isAbove(key, slot)
    }
    if (row) this.#rows.set(slot, row)
    else this.#empty(slot)
    if (slot >= this.#next) this.#next = slot + 1
    for (const { index, valuesOf } of this.#lookups)
      index.replace(key, before && valuesOf(before), row && valuesOf(row))
    for (const { index } of this.#orders) index.replace(key, before, row)
    if (!row) this.#slots.delete(key)
  }

  /** Gives back empty slots, a page or two at a time. Slot numbers change, so it must not run inside a change. */
  tidy(): void {
    if (this.size === 0) return this.#beginAnew()
    while (this.#rows.get(this.#next - 1) === undefined) this.#next -= 1
    if (this.#thin.length === 0) return
    for (const slot of this.#thin.splice(0)) {
      if (slot < this.#rows.from) continue
      const start = this.#rows.startOf(slot)
      if (this.#rows.usedAt(start) === 0) this.#rows.refill(start, [])
      else {
        this.#join(this.#beside(start, -PAGE), start)
        this.#join(start, this.#beside(start, PAGE))
      }
    }
  }

  #beginAnew(): void {
    if (this.#next === 0) return
    this.#rows = new Pages(0)
    this.#next = 0
    this.#thin = []
  }

  #empty(slot: number): void {
    const left = this.#rows.delete(slot)
    if (left < FEW && left % 16 === 0) this.#thin.push(slot)
  }

  /** The page nearest to one, on one side, that has rows; undefined when there is none near. */
  #beside(start: number, step: number): number | undefined {
    for (let at = start + step; Math.abs(at - start) <= NEAR; at += step)
      if (this.#rows.usedAt(at) > 0) return at
    return undefined
  }

  /** Moves the rows of a page in front of those of a later one, when both have few and neither is being filled. */
  #join(earlier: number | undefined, later: number | undefined): void {
    if (earlier === undefined || later === undefined || later + PAGE > this.#next) return
    const rows = this.#rows
    if (rows.usedAt(earlier) + rows.usedAt(later) > PAGE / 2) return
    const both = [...rows.pageAt(earlier), ...rows.pageAt(later)].filter((row) => row !== undefined)
    rows.refill(later, both)
    both.forEach((row, place) => this.#slots.set(this.#table.key(row), later + place))
    rows.refill(earlier, [])
  }

  /** Whether the row before a slot, if there is one, has a lower key. */
  #isAbove(key: Key, slot: number): boolean {
    let at = slot - 1
    while (at >= this.#rows.from && this.#rows.get(at) === undefined) at -= 1
    return at < this.#rows.from || this.keyOf(this.#rows.get(at)!) < key
  }

  /** The first slot whose row has this key or a higher one; keys ascend. */
  #placeOf(key: Key): number {
    let low = this.#rows.from
    let high = this.#next
    while (low < high) {
      const middle = (low + high) >> 1
      let at = middle
      while (at < high && this.#rows.get(at) === undefined) at += 1
      if (at < high && this.keyOf(this.#rows.get(at)!) < key) low = at + 1
      else high = middle
    }
    return low
  }

  #rowsOf(keys: readonly Key[]): Row[] {
    return keys.map((key) => this.#rows.get(this.#slots.get(key)!)!)
  }
}

function named<Index>(list: readonly { name: string; index: Index }[], name: string): Index {
  const found = list.find((each) => each.name === name)
  if (!found) throw new Error(`There is no "${name}"; declared: ${list.map((each) => each.name).join(', ')}`)
  return found.index
}
