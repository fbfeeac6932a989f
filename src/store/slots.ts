import { PAGE, Pages } from './pages.ts'
import type { Key } from './tables.ts'

/** How far ahead of the others a number may be, however few they are. */
const HOLES = 64
/** A page with fewer is not worth its room. */
const FEW = PAGE / 16

/**
 * The slot of each key. Numbers that were given out one after another lie in pages: a hash of a million keys fits no
 * cache of the processor, and each look at it costs a trip to the memory.
 */
export class Slots {
  /** They begin with the first number that comes. */
  #inSequence = new Pages<number>(0)
  readonly #others = new Map<Key, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: Key): number | undefined {
    const slot = typeof key === 'number' ? this.#inSequence.get(key) : undefined
    // A number that came before its turn stays among the others when the pages have reached it.
    return slot ?? (this.#others.size > 0 ? this.#others.get(key) : undefined)
  }

  set(key: Key, slot: number): void {
    if (this.get(key) === undefined) this.#size += 1
    if (typeof key !== 'number' || this.#others.has(key) || !this.#reaches(key)) this.#others.set(key, slot)
    else this.#inSequence.set(key, slot)
  }

  delete(key: Key): void {
    if (this.get(key) === undefined) return
    this.#size -= 1
    if (this.#others.delete(key)) return
    if (this.#inSequence.delete(key as number) < FEW) this.#giveUpPage(key as number)
  }

  /** Whether a number belongs into the pages. */
  #reaches(key: number): boolean {
    if (!Number.isSafeInteger(key)) return false
    // It is counted already: when it is the only one, the pages are empty and may begin anew.
    const isEmpty = this.#size - this.#others.size === 1 && this.#inSequence.get(key) === undefined
    if (isEmpty && !this.#isNear(key)) this.#inSequence = new Pages(key)
    return this.#isNear(key)
  }

  #isNear(key: number): boolean {
    const { from, end } = this.#inSequence
    return key >= from && key <= end + 2 * this.#size + HOLES && end > from
  }

  /** Moves the few that a page has left to the others; new ones go to the last page, which stays. */
  #giveUpPage(key: number): void {
    const pages = this.#inSequence
    const start = pages.startOf(key)
    if (start + PAGE >= pages.end) return
    pages.pageAt(start).forEach((slot, place) => {
      if (slot !== undefined) this.#others.set(start + place, slot)
    })
    pages.refill(start, [])
  }
}
