import { SortedList } from './sorted-list.ts'
import type { Key, Order } from './tables.ts'

const NOTHING = new SortedList()

/** The keys of a table's rows in a declared order, a list a group. */
export class OrderIndex<Row> {
  #groups: Map<Key, SortedList> | undefined
  readonly #order: Order<Row>

  constructor(order: Order<Row>) {
    this.#order = order
  }

  /** How many groups have rows. */
  get size(): number {
    return this.#groups?.size ?? 0
  }

  group(group: Key): SortedList {
    return this.#groups?.get(group) ?? NOTHING
  }

  /** Moves a row from where it was to where it belongs; `undefined` stands for no row. */
  replace(key: Key, before: Row | undefined, after: Row | undefined): void {
    const { group, by } = this.#order
    if (before && after && group(before) === group(after) && by(before) === by(after)) return
    if (before) this.#remove(group(before), by(before), key)
    if (after) this.#add(group(after), by(after), key)
  }

  #add(group: Key, number: number, key: Key): void {
    if (group === '') return
    const groups = (this.#groups ??= new Map<Key, SortedList>())
    let list = groups.get(group)
    if (!list) groups.set(group, (list = new SortedList()))
    list.add(number, key)
  }

  #remove(group: Key, number: number, key: Key): void {
    const list = this.#groups?.get(group)
    list?.remove(number, key)
    if (list?.size === 0) this.#groups!.delete(group)
  }
}
