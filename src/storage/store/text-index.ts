import { HashTable } from './hash-table.ts'
import { SlotList } from './slot-list.ts'
import { hashOf, type TextHash } from './text-hash.ts'

/** Rows that one text leads to, where there are several. */
interface Shared {
  readonly text: string
  readonly slots: SlotList
}

/**
 * From texts to the slots of the rows that have them. It does not keep the texts, which the rows have: under a text's hash is
 * `slot + 1` where one row has it, as is nearly always so, and `-number` of a list where several have.
 */
export class TextIndex {
  readonly #table = new HashTable()
  /** By number, from 1 on; made when it is needed, as most tables have none. */
  #shared: (Shared | undefined)[] | undefined
  #free: number[] | undefined
  readonly #holds: (slot: number, text: string) => boolean
  readonly #hashOf: TextHash

  /**
   * @param holds whether the row in a slot has a text; told of before a text is added or taken out
   * @param hash for tests, in which texts are to fall together
   */
  constructor(holds: (slot: number, text: string) => boolean, hash = hashOf) {
    this.#holds = holds
    this.#hashOf = hash
  }

  get(text: string): number | SlotList | undefined {
    const number = this.#find(this.#hashOf(text), text)
    if (number === 0) return undefined
    return number > 0 ? number - 1 : this.#shared![-number]!.slots
  }

  /** Adds a slot whose row has the text now and did not before. */
  add(text: string, slot: number): void {
    const hash = this.#hashOf(text)
    const number = this.#find(hash, text, slot)
    if (number === 0) this.#table.add(hash, slot + 1)
    else if (number < 0) this.#shared![-number]!.slots.add(slot)
    else this.#table.replace(hash, number, this.#share(text, number - 1, slot))
  }

  /** Takes out a slot whose row had the text and has it no longer. */
  delete(text: string, slot: number): void {
    const hash = this.#hashOf(text)
    const number = this.#findShared(hash, text)
    if (number === 0) return this.#table.delete(hash, slot + 1)
    const { slots } = this.#shared![-number]!
    slots.delete(slot)
    if (slots.length > 1) return
    this.#table.replace(hash, number, slots.slice(0, 1)[0]! + 1)
    this.#shared![-number] = undefined
    ;(this.#free ??= []).push(-number)
  }

  /** Follows a row from one slot to another; of rows under one text none lies between. */
  move(text: string, from: number, to: number): void {
    const hash = this.#hashOf(text)
    const number = this.#findShared(hash, text)
    if (number === 0) this.#table.replace(hash, from + 1, to + 1)
    else this.#shared![-number]!.slots.replace(from, to)
  }

  /** @param but the slot of a row that has the text, and is not yet found by it: what it is found by is another text of its */
  #find(hash: number, text: string, but = -1): number {
    let single = 0
    const shared = this.#table.find(hash, (number) => {
      if (number < 0) return this.#shared![-number]!.text === text
      // A row in a list may have another text of the same hash: the list is what counts.
      if (number - 1 !== but && this.#holds(number - 1, text)) single = number
      return false
    })
    return shared === 0 ? single : shared
  }

  #findShared(hash: number, text: string): number {
    const shared = this.#shared
    return shared ? this.#table.find(hash, (number) => number < 0 && shared[-number]!.text === text) : 0
  }

  #share(text: string, one: number, other: number): number {
    this.#shared ??= [undefined]
    const place = this.#free?.pop() ?? this.#shared.length
    this.#shared[place] = { text, slots: new SlotList(one < other ? [one, other] : [other, one]) }
    return -place
  }
}
