import { LookupIndex, type RowsAt } from './lookup-index.ts'
import { OrderIndex } from './order-index.ts'
import type { Key, Table } from './tables.ts'

/** The rows of a table as its indexes see them. */
export interface Slots<Row> extends RowsAt<Row> {
  /** Tells of every row, oldest first. */
  each(tell: (row: Row, slot: number) => void): void
}

interface Count<Row> {
  readonly name: string
  readonly groupOf: (row: Row) => Key
  readonly groups: Map<Key, number>
}

/**
 * Where the rows of one table are found, walked and counted. What the table calls rare is made of the rows there are when it is
 * first asked for, and kept true from then on: most worlds never ask, and an index takes room and time for every row.
 */
export class TableIndexes<Row> {
  readonly #table: Table<Row, string, string>
  readonly #rows: Slots<Row>
  readonly #lookups: LookupIndex<Row>[]
  readonly #orders: OrderIndex<Row>[]
  readonly #counts: Count<Row>[]

  constructor(table: Table<Row, string, string>, rows: Slots<Row>) {
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

  /** How many rows a group of a count or an order has. */
  count(name: string, group: Key): number {
    const counted = this.#counts.find((each) => each.name === name)
    return counted ? (counted.groups.get(group) ?? 0) : this.order(name).group(group).size
  }

  /** Follows a row that was written; `undefined` stands for no row. */
  replace(slot: number, key: Key, before: Row | undefined, after: Row | undefined): void {
    for (const lookup of this.#lookups) lookup.replace(slot, before, after)
    for (const order of this.#orders) order.replace(key, before, after)
    for (const { groupOf, groups } of this.#counts) {
      count(groups, before && groupOf(before), -1)
      count(groups, after && groupOf(after), 1)
    }
  }

  /** Follows a row from one slot to another; no row under one of its values lies between. */
  move(row: Row, from: number, to: number): void {
    for (const lookup of this.#lookups) lookup.move(row, from, to)
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
