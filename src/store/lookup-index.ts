import { Slots } from './slots.ts'
import type { Key } from './tables.ts'

/** What a look-up says of a row: one value, several, or none because there is no row. */
export type Values = Key | readonly Key[] | undefined

/** From a look-up's value to the keys of the rows under it, oldest row first. */
export class LookupIndex {
  /** Most values have one row: its key is kept bare, an array only for a second one. */
  readonly #byText = new Map<string, Key | Key[]>()
  /** Ids of rows that others belong to are mostly given out one after another. */
  readonly #byNumber = new Slots<Key | Key[]>()
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
    return listOf(this.#held(value))
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

  #held(value: Key): Key | Key[] | undefined {
    return typeof value === 'number' ? this.#byNumber.get(value) : this.#byText.get(value)
  }

  #hold(value: Key, keys: Key | Key[]): void {
    if (typeof value === 'number') this.#byNumber.set(value, keys)
    else this.#byText.set(value, keys)
  }

  #add(value: Key, key: Key): void {
    const held = this.#held(value)
    if (held === undefined) this.#hold(value, key)
    else if (Array.isArray(held)) held.splice(this.#positionIn(held, key), 0, key)
    else this.#hold(value, this.#ageOf(held) < this.#ageOf(key) ? [held, key] : [key, held])
  }

  #remove(value: Key, key: Key): void {
    const held = this.#held(value)
    if (!Array.isArray(held)) {
      if (typeof value === 'number') {
        this.#byNumber.delete(value)
        this.#byNumber.tighten()
      } else this.#byText.delete(value)
      return
    }
    held.splice(this.#positionIn(held, key), 1)
    if (held.length === 1) this.#hold(value, held[0]!)
  }

  /** Where the key is, or where it belongs. */
  #positionIn(keys: readonly Key[], key: Key): number {
    const age = this.#ageOf(key)
    let low = 0
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

function listOf(values: Values): readonly Key[] {
  if (values === undefined) return []
  return Array.isArray(values) ? values : [values as Key]
}
