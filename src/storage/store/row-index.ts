import { PAGE, Pages } from './pages.ts'
import type { Key } from './tables.ts'

/** How far ahead of the others a number may be, however few they are. */
const HOLES = 64
/** A page with fewer is not worth its room. */
const FEW = PAGE / 16

/**
 * What belongs to each key: a slot, or whatever else. Numbers that were given out one after another lie in pages: a hash of a million keys fits no
 * cache of the processor, and each look at it costs a trip to the memory.
 */
export class RowIndex<Value = number> {
  /** They begin with the first number that comes. Both are made when they are needed: most worlds are small. */
  #inSequence: Pages<Value> | undefined
  #others: Map<Key, Value> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    const held = typeof key === 'number' ? this.#inSequence?.get(key) : undefined
    // A number that came before its turn stays among the others when the pages have reached it.
    return held ?? this.#others?.get(key)
  }

  set(key: Key, value: Value): void {
    if (this.get(key) === undefined) this.#size += 1
    if (typeof key === 'number' && !this.#others?.has(key) && this.#reaches(key))
      this.#inSequence!.set(key, value)
    else (this.#others ??= new Map()).set(key, value)
  }

  delete(key: Key): void {
    if (this.get(key) === undefined) return
    this.#size -= 1
    if (this.#others?.delete(key)) return
    if (this.#inSequence!.delete(key as number) < FEW) this.#giveUpPage(key as number)
  }

  /** Whether a number belongs into the pages. */
  #reaches(key: number): boolean {
    if (!Number.isSafeInteger(key)) return false
    // It is counted already: when it is the only one, the pages are empty and may begin anew.
    const isEmpty = this.#size - (this.#others?.size ?? 0) === 1 && this.#inSequence?.get(key) === undefined
    if (!isEmpty || this.#isNear(key)) return this.#isNear(key)
    this.#inSequence = new Pages(key)
    return true
  }

  #isNear(key: number): boolean {
    if (!this.#inSequence) return false
    const { from, end } = this.#inSequence
    return key >= from && key <= end + 2 * this.#size + HOLES && end > from
  }

  /** Moves the few that a page has left to the others; new ones go to the last page, which stays. */
  #giveUpPage(key: number): void {
    const pages = this.#inSequence!
    const start = pages.startOf(key)
    if (start + PAGE >= pages.end) return
    pages.pageAt(start).forEach((value, place) => {
      if (value !== undefined) (this.#others ??= new Map()).set(start + place, value)
    })
    pages.refill(start, [])
  }
}
