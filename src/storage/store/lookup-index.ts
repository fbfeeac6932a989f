import { unforeseeableWord } from '../../lib/random/random.ts'
import { HashTable, RowIndex } from './slots.ts'
import type { Key } from './tables.ts'

/** Slots in ascending order, which is the order of insertion. */
export class SlotList {
  #slots: number[]
  /** Slots before this position were removed. */
  #from = 0

  /** @param slots - Ascending; the list takes ownership. */
  constructor(slots: number[]) {
    this.#slots = slots
  }

  get length(): number {
    return this.#slots.length - this.#from
  }

  slice(start: number, end: number): number[] {
    return this.#slots.slice(this.#from + start, this.#from + end)
  }

  add(slot: number): void {
    this.#slots.splice(this.#placeOf(slot), 0, slot)
  }

  delete(slot: number): void {
    // Long lists mostly lose their oldest slot, which must not move all the others.
    if (this.#slots[this.#from] === slot) this.#dropFirst()
    else this.#slots.splice(this.#placeOf(slot), 1)
  }

  #dropFirst(): void {
    this.#from += 1
    if (this.#from < this.#slots.length / 2) return
    this.#slots = this.#slots.slice(this.#from)
    this.#from = 0
  }

  /** Returns the position of the slot, or where it belongs. */
  #placeOf(slot: number): number {
    const slots = this.#slots
    let low = this.#from
    let high = slots.length
    // New rows come last: check the end before searching.
    if (high > low && slots[high - 1]! < slot) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (slots[middle]! < slot) low = middle + 1
      else high = middle
    }
    return low
  }
}

export type TextHash = (text: string) => number

/**
 * HalfSipHash-1-3 over UTF-16 units, two at a time. It is keyed, so that clients cannot choose colliding texts. A single loop
 * for speed: every identifier of a payment goes through it.
 */
export function keyedHash(key0: number, key1: number): TextHash {
  return (text) => {
    let a = key0
    let b = key1
    let c = key0 ^ 0x6c796765
    let d = key1 ^ 0x74656462
    const { length } = text
    const words = (length + 1) >> 1
    // After the text: its length and three empty rounds.
    for (let i = 0; i < words + 4; i += 1) {
      let word = 0
      if (i < words) {
        word = text.charCodeAt(2 * i)
        if (2 * i + 1 < length) word |= text.charCodeAt(2 * i + 1) << 16
      } else if (i === words) word = length
      else if (i === words + 1) c ^= 0xff
      d ^= word
      a = (a + b) | 0
      b = ((b << 5) | (b >>> 27)) ^ a
      a = (a << 16) | (a >>> 16)
      c = (c + d) | 0
      d = ((d << 8) | (d >>> 24)) ^ c
      a = (a + d) | 0
      d = ((d << 7) | (d >>> 25)) ^ a
      c = (c + b) | 0
      b = ((b << 13) | (b >>> 19)) ^ c
      c = (c << 16) | (c >>> 16)
      a ^= word
    }
    return b ^ d
  }
}

export const hashOf = keyedHash(unforeseeableWord(), unforeseeableWord())

interface Shared {
  readonly text: string
  readonly slots: SlotList
}

/**
 * Maps texts to the slots of the rows that contain them. The texts themselves are only in the rows: the hash of a text maps to
 * `slot + 1` if it is in one row, as is nearly always so, or to `-number` of a list.
 */
export class TextIndex {
  readonly #table = new HashTable()
  /** By number, from 1 on. Created when needed, as few tables have any. */
  #shared: (Shared | undefined)[] | undefined
  #free: number[] | undefined
  readonly #holds: (slot: number, text: string) => boolean
  readonly #hashOf: TextHash

  /**
   * @param holds - Whether the row in a slot has a text.
   * @param hash - Replaced in tests to produce collisions.
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

  /** Adds a slot whose row now has the text. */
  add(text: string, slot: number): void {
    const hash = this.#hashOf(text)
    const number = this.#find(hash, text, slot)
    if (number === 0) this.#table.add(hash, slot + 1)
    else if (number < 0) this.#shared![-number]!.slots.add(slot)
    else this.#table.replace(hash, number, this.#share(text, number - 1, slot))
  }

  /** Removes a slot whose row no longer has the text. */
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

  /** @param but - A slot to ignore: its row has the text and is not yet indexed under it. */
  #find(hash: number, text: string, but = -1): number {
    let single = 0
    const shared = this.#table.find(hash, (number) => {
      if (number < 0) return this.#shared![-number]!.text === text
      // A row of a list may have another text with the same hash: only the list counts.
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

/** Maps the values of a lookup to the slots of the rows with that value, oldest row first. */
export class LookupIndex<Row> {
  readonly name: string
  readonly #valuesOf: (row: Row) => Key | readonly Key[]
  readonly #rows: { at(slot: number): Row | undefined }
  #byText: TextIndex | undefined
  /** Ids of rows are mostly consecutive. */
  #byNumber: RowIndex<number | SlotList> | undefined

  constructor(
    name: string,
    valuesOf: (row: Row) => Key | readonly Key[],
    rows: { at(slot: number): Row | undefined },
  ) {
    this.name = name
    this.#valuesOf = valuesOf
    this.#rows = rows
  }

  slots(value: Key): readonly number[] {
    return this.page(value, 0, Infinity)
  }

  count(value: Key): number {
    const held = this.#held(value)
    if (held === undefined) return 0
    return typeof held === 'object' ? held.length : 1
  }

  /** Returns the slots with a value from position `start` to before `end`, oldest row first. */
  page(value: Key, start: number, end: number): readonly number[] {
    const held = this.#held(value)
    if (held === undefined) return []
    return typeof held === 'object' ? held.slice(start, end) : [held].slice(start, end)
  }

  /** Updates the values of a row that was written already. Empty strings and repeated values are ignored. */
  replace(slot: number, before: Row | undefined, after: Row | undefined): void {
    const lost = before && this.#valuesOf(before)
    const got = after && this.#valuesOf(after)
    if (lost === got) return
    const had = listOf(lost)
    const has = listOf(got)
    for (let i = 0; i < had.length; i += 1) {
      const value = had[i]!
      if (value !== '' && !has.includes(value) && had.indexOf(value) === i) this.#delete(value, slot)
    }
    for (let i = 0; i < has.length; i += 1) {
      const value = has[i]!
      if (value !== '' && !had.includes(value) && has.indexOf(value) === i) this.#add(value, slot)
    }
  }

  #held(value: Key): number | SlotList | undefined {
    return typeof value === 'number' ? this.#byNumber?.get(value) : this.#byText?.get(value)
  }

  #add(value: Key, slot: number): void {
    if (typeof value === 'string') return (this.#byText ??= this.#textIndex()).add(value, slot)
    const byNumber = (this.#byNumber ??= new RowIndex())
    const held = byNumber.get(value)
    if (held === undefined) byNumber.set(value, slot)
    else if (typeof held === 'object') held.add(slot)
    else byNumber.set(value, new SlotList(held < slot ? [held, slot] : [slot, held]))
  }

  #delete(value: Key, slot: number): void {
    if (typeof value === 'string') return this.#byText!.delete(value, slot)
    const held = this.#byNumber!.get(value)
    if (typeof held !== 'object') return this.#byNumber!.delete(value)
    held.delete(slot)
    if (held.length === 1) this.#byNumber!.set(value, held.slice(0, 1)[0]!)
  }

  #textIndex(): TextIndex {
    return new TextIndex((slot, text) => {
      const row = this.#rows.at(slot)
      const values = row && this.#valuesOf(row)
      return typeof values === 'object' ? values.includes(text) : values === text
    })
  }
}

const NONE: readonly Key[] = []

function listOf(values: Key | readonly Key[] | undefined): readonly Key[] {
  if (values === undefined || values === '') return NONE
  return typeof values === 'object' ? values : [values]
}
