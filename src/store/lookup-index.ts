import { Slots } from './slots.ts'
import type { Key } from './tables.ts'

/** What a look-up says of a row: one value, several, or none because there is no row. */
export type Values = Key | readonly Key[] | undefined

/** The keys of several rows under one value; those before `from` have gone. */
interface Several {
  keys: Key[]
  from: number
}

/** From a look-up's value to the keys of the rows under it, oldest row first. */
export class LookupIndex {
  /** Most values have one row: its key is kept bare, a list only for a second one. */
  readonly #byText = new Map<string, Key | Several>()
  /** Ids of rows that others belong to are mostly given out one after another. */
  readonly #byNumber = new Slots<Key | Several>()
  readonly #ageOf: (key: Key) => number

  /** `ageOf` orders keys: the older a row, the lower its number. It must know every key handed in. */
  constructor(ageOf: (key: Key) => number) {
    this.#ageOf = ageOf
  }

  /** How many values have rows. */
  get size(): number {
    return this.#byText.size + this.#byNumber.size
  }

  keys(value: Key): readonly Key[] {
    return this.page(value, 0, Infinity)
  }

  /** How many rows a value has. */
  count(value: Key): number {
    const held = this.#held(value)
    if (held === undefined) return 0
    return typeof held === 'object' ? held.keys.length - held.from : 1
  }

  /** The keys under a value from one place to before another, oldest row first. */
  page(value: Key, start: number, end: number): readonly Key[] {
    const held = this.#held(value)
    if (held === undefined) return []
    return typeof held === 'object'
      ? held.keys.slice(held.from + start, held.from + end)
      : [held].slice(start, end)
  }

  /** Moves a row from the values it had to those it has; empty strings and repeats are left out. */
  replace(key: Key, before: Values, after: Values): void {
    if (before === after) return
    const had = listOf(before)
    const has = listOf(after)
    for (let i = 0; i < had.length; i += 1) {
      const value = had[i]!
      if (value !== '' && !has.includes(value) && had.indexOf(value) === i) this.#remove(value, key)
    }
    for (let i = 0; i < has.length; i += 1) {
      const value = has[i]!
      if (value !== '' && !had.includes(value) && has.indexOf(value) === i) this.#add(value, key)
    }
  }

  #held(value: Key): Key | Several | undefined {
    return typeof value === 'number' ? this.#byNumber.get(value) : this.#byText.get(value)
  }

  #hold(value: Key, keys: Key | Several): void {
    if (typeof value === 'number') this.#byNumber.set(value, keys)
    else this.#byText.set(value, keys)
  }

  #add(value: Key, key: Key): void {
    const held = this.#held(value)
    if (held === undefined) this.#hold(value, key)
    else if (typeof held === 'object') held.keys.splice(this.#positionIn(held, key), 0, key)
    else {
      const keys = this.#ageOf(held) < this.#ageOf(key) ? [held, key] : [key, held]
      this.#hold(value, { keys, from: 0 })
    }
  }

  #remove(value: Key, key: Key): void {
    const held = this.#held(value)
    if (typeof held !== 'object') {
      if (typeof value === 'number') this.#byNumber.delete(value)
      else this.#byText.delete(value)
      return
    }
    // Of many rows under one value the oldest go first, and to move all the others each time would take long.
    if (held.keys[held.from] === key) dropFirst(held)
    else held.keys.splice(this.#positionIn(held, key), 1)
    if (held.keys.length - held.from === 1) this.#hold(value, held.keys[held.from]!)
  }

  /** Where the key is, or where it belongs. */
  #positionIn({ keys, from }: Several, key: Key): number {
    const age = this.#ageOf(key)
    let low = from
    let high = keys.length
    // New rows are the youngest: look at the end before searching.
    if (this.#ageOf(keys[high - 1]!) < age) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ageOf(keys[middle]!) < age) low = middle + 1
      else high = middle
    }
    return low
  }
}

function dropFirst(held: Several): void {
  held.from += 1
  if (held.from < held.keys.length / 2) return
  held.keys = held.keys.slice(held.from)
  held.from = 0
}

function listOf(values: Values): readonly Key[] {
  if (values === undefined) return []
  return Array.isArray(values) ? values : [values as Key]
}
