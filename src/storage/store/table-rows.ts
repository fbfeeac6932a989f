import { LookupIndex } from './lookup-index.ts'
import { OrderIndex } from './order-index.ts'
import type { Key, Table } from './tables.ts'
import { PAGE, Pages, RowIndex } from './slots.ts'

interface Count<Row> {
  readonly name: string
  readonly groupOf: (row: Row) => Key
  readonly groups: Map<Key, number>
}

/**
 * The indexes of one table. Those that the table declares as rare are built at first use and maintained from then on: most
 * worlds never use them, and an index takes memory and time for every row.
 */
class TableIndexes<Row> {
  readonly #table: Table<Row, string, string>
  readonly #rows: TableRows<Row>
  readonly #lookups: LookupIndex<Row>[]
  readonly #orders: OrderIndex<Row>[]
  readonly #counts: Count<Row>[]

  constructor(table: Table<Row, string, string>, rows: TableRows<Row>) {
    this.#table = table
    this.#rows = rows
    const { lookups, orders, counts, rare } = table
    const usual = (names: object) => Object.keys(names).filter((name) => !rare.includes(name))
    this.#lookups = usual(lookups).map((name) => new LookupIndex(name, lookups[name]!, rows))
    this.#orders = usual(orders).map((name) => new OrderIndex(name, orders[name]!))
    this.#counts = Object.entries(counts).map(([name, groupOf]) => ({ name, groupOf, groups: new Map() }))
  }

  lookup(name: string): LookupIndex<Row> {
    return this.#lookups.find((each) => each.name === name) ?? this.#makeLookup(name)
  }

  order(name: string): OrderIndex<Row> {
    return this.#orders.find((each) => each.name === name) ?? this.#makeOrder(name)
  }

  count(name: string, group: Key): number {
    const counted = this.#counts.find((each) => each.name === name)
    return counted ? (counted.groups.get(group) ?? 0) : this.order(name).group(group).size
  }

  /** Updates the indexes after a write; `undefined` means no row. */
  replace(slot: number, key: Key, before: Row | undefined, after: Row | undefined): void {
    for (const lookup of this.#lookups) lookup.replace(slot, before, after)
    for (const order of this.#orders) order.replace(key, before, after)
    for (const { groupOf, groups } of this.#counts) {
      count(groups, before && groupOf(before), -1)
      count(groups, after && groupOf(after), 1)
    }
  }

  /** Updates the indexes after the rows got other slots. */
  renumber(): void {
    for (const { name } of this.#lookups.splice(0)) this.#makeLookup(name)
  }

  #makeLookup(name: string): LookupIndex<Row> {
    const made = new LookupIndex(name, declared(this.#table.lookups, name), this.#rows)
    this.#rows.each((row, slot) => made.replace(slot, undefined, row))
    this.#lookups.push(made)
    return made
  }

  #makeOrder(name: string): OrderIndex<Row> {
    const made = new OrderIndex(name, declared(this.#table.orders, name))
    this.#rows.each((row) => made.replace(this.#table.key(row), undefined, row))
    this.#orders.push(made)
    return made
  }
}

function declared<Declaration>(all: { readonly [name: string]: Declaration }, name: string): Declaration {
  const found = Object.hasOwn(all, name) ? all[name] : undefined
  if (!found) throw new Error(`There is no "${name}"; declared: ${Object.keys(all).join(', ')}`)
  return found
}

function count(groups: Map<Key, number>, group: Key | undefined, by: number): void {
  if (group === undefined || group === '') return
  const counted = (groups.get(group) ?? 0) + by
  if (counted === 0) groups.delete(group)
  else groups.set(group, counted)
}

/** Rows are renumbered when there are this many slots per row, after as many writes per row, but not while there are few slots. */
const SPARSE = 32
const FEW = 4 * PAGE
const MOST_SLOTS = 2 ** 31 - 2 ** 24

/** A running sum of bytes, shared by several tables. */
export interface Tally {
  bytes: number
}

/**
 * One table of one world. Each row has a slot; slots are assigned in ascending order, so a lower slot means an older row. `set`
 * is the only way to write, and updates the indexes.
 */
export class TableRows<Row> {
  readonly number: number
  readonly #tally: Tally
  readonly #mostSlots: number
  readonly #table: Table<Row, string, string>
  readonly #slots = new RowIndex()
  #rows = new Pages<Row>(0)
  /** The slot of the next new row. */
  #next = 0
  /** Slots in pages that lost their last row. */
  #emptied: number[] = []
  /** Whether older rows have lower keys, so that keys can be found by binary search. */
  #ascending = true
  /** Counts the changes that replaced or deleted existing rows. */
  revision = 0
  writes = 0
  readonly #indexes: TableIndexes<Row>

  /** @param mostSlots - How many slots are assigned before rows are renumbered. */
  constructor(
    table: Table<Row, string, string>,
    number = 0,
    tally: Tally = { bytes: 0 },
    mostSlots = MOST_SLOTS,
  ) {
    this.#tally = tally
    this.#mostSlots = mostSlots
    this.#table = table
    this.number = number
    this.#indexes = new TableIndexes(table, this)
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

  get nextSlot(): number {
    return this.#next
  }

  at(slot: number): Row | undefined {
    return this.#rows.get(slot)
  }

  all(): Row[] {
    return this.#rows.map((row) => row)
  }

  each(visit: (row: Row, slot: number) => void): void {
    this.#rows.map((row, slot) => (row === undefined ? undefined : void visit(row, slot)))
  }

  from(slot: number): Row[] {
    return slot <= this.#rows.from ? this.all() : this.#rows.map((row, at) => (at < slot ? undefined : row))
  }

  /** Returns up to `limit` rows with keys below this one, highest first. */
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

  find(lookup: string, value: Key): Row[] {
    return this.#rowsIn(this.#indexes.lookup(lookup).slots(value))
  }

  /** Returns a page of the rows with a value, newest first. */
  newest(lookup: string, value: Key, offset: number, limit: number): Row[] {
    const index = this.#indexes.lookup(lookup)
    const end = Math.max(0, index.count(value) - offset)
    return this.#rowsIn(index.page(value, Math.max(0, end - limit), end)).reverse()
  }

  count(name: string, group: Key): number {
    return this.#indexes.count(name, group)
  }

  walk(order: string, group: Key, offset: number, limit: number, newestFirst: boolean): Row[] {
    return this.#rowsOf(this.#indexes.order(order).group(group).keys(offset, limit, newestFirst))
  }

  rank(order: string, group: Key, by: number, key: Key) {
    return this.#indexes.order(order).rank(group, by, key)
  }

  /** Writes or empties a slot. A used slot only accepts rows with the same key. */
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
    else if (this.#rows.delete(slot) === 0) this.#emptied.push(slot)
    if (slot >= this.#next) this.#next = slot + 1
    this.#indexes.replace(slot, key, before, row)
    if (!row) this.#slots.delete(key)
  }

  /** Frees empty slots. It changes slot numbers, so it must not run inside a change. */
  tidy(): void {
    if (this.#emptied.length > 0)
      for (const slot of this.#emptied.splice(0)) if (this.#rows.usedAt(slot) === 0) this.#rows.free(slot)
    if (this.size === 0) this.#rows = new Pages((this.#next = 0))
    else if (this.#next > this.#mostSlots || this.#next - this.#rows.from > SPARSE * this.size + FEW)
      this.#numberAnew()
    while (this.#next > this.#rows.from && this.#rows.get(this.#next - 1) === undefined) this.#next -= 1
  }

  /** Renumbers the rows from 0. */
  #numberAnew(): void {
    const before = this.#rows
    this.#rows = new Pages((this.#next = 0))
    this.revision += 1
    before.map((row) => {
      if (row === undefined) return
      this.#slots.set(this.#table.key(row), this.#next)
      this.#rows.set(this.#next++, row)
    })
    this.#indexes.renumber()
  }

  #isAbove(key: Key, slot: number): boolean {
    let at = slot - 1
    while (at >= this.#rows.from && this.#rows.get(at) === undefined) at -= 1
    return at < this.#rows.from || this.keyOf(this.#rows.get(at)!) < key
  }

  /** Returns the first slot whose row has this key or a higher one; keys must ascend. */
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

  #rowsIn(slots: readonly number[]): Row[] {
    return slots.map((slot) => this.#rows.get(slot)!)
  }

  #rowsOf(keys: readonly Key[]): Row[] {
    return keys.map((key) => this.#rows.get(this.#slots.get(key)!)!)
  }
}
