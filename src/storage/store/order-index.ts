import { type Rank, SortedList } from './sorted-list.ts'
import type { Key, Order } from './tables.ts'

const NOTHING = new SortedList()

/** The keys of a table's rows in a declared order, a list a group. */
export class OrderIndex<Row> {
  readonly name: string
  #groups: Map<Key, SortedList> | undefined
  readonly #order: Order<Row>

  constructor(name: string, order: Order<Row>) {
    this.name = name
    this.#order = order
  }

  /** How many groups have rows. */
  get size(): number {
    return this.#groups?.size ?? 0
  }

  group(group: Key): SortedList {
    return this.#groups?.get(group) ?? NOTHING
  }

  /** How many rows of a group come before a place, and what they sum to. */
  rank(group: Key, by: number, key: Key): Rank {
    return this.group(group).rank(by, key)
  }

  /** Moves a row from where it was to where it belongs; `undefined` stands for no row. */
  replace(key: Key, before: Row | undefined, after: Row | undefined): void {
    const { group, by, sum } = this.#order
    const [had, has] = [before && group(before), after && group(after)]
    if (before && after && !sum && had === has && by(before) === by(after)) return
    if (before) for (const each of listOf(had!)) this.#remove(each, by(before), key)
    if (after) for (const each of listOf(has!)) this.#add(each, by(after), key, sum?.(after, each))
  }

  #add(group: Key, number: number, key: Key, amount: number | undefined): void {
    if (group === '') return
    const groups = (this.#groups ??= new Map<Key, SortedList>())
    let list = groups.get(group)
    if (!list) groups.set(group, (list = new SortedList(amount !== undefined)))
    list.add(number, key, amount)
  }

  #remove(group: Key, number: number, key: Key): void {
    const list = this.#groups?.get(group)
    list?.remove(number, key)
    if (list?.size === 0) this.#groups!.delete(group)
  }
}

const listOf = (group: Key | readonly Key[]): readonly Key[] => (typeof group === 'object' ? group : [group])
