import type { Key } from './tables.ts'

/** Room for holes that an array has, however few its keys. */
const HOLES = 64
/** Below this length, empty places are not worth reclaiming. */
const SHORT = 1_024

/**
 * What belongs to each key: a slot, or whatever else. Numbers that were given out one after another lie in an array: a hash of a million keys fits no
 * cache of the processor, and each look at it costs a trip to the memory.
 */
export class Slots<Value = number> {
  /** The number that the array begins with; it is set by the first one that comes. */
  #from = 0
  #inSequence: (Value | undefined)[] = []
  readonly #others = new Map<Key, Value>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Whether most of its room is empty, so that it is worth making anew. */
  get hollow(): boolean {
    return this.#inSequence.length > SHORT && this.#inSequence.length > 4 * this.#size
  }

  get(key: Key): Value | undefined {
    const held = typeof key === 'number' ? this.#inSequence[key - this.#from] : undefined
    // A number that came before its turn stays among the others when the array has reached it.
    return held ?? (this.#others.size > 0 ? this.#others.get(key) : undefined)
  }

  set(key: Key, value: Value): void {
    if (this.get(key) === undefined) this.#size += 1
    if (this.#others.has(key) || !this.#reach(key)) this.#others.set(key, value)
    else this.#inSequence[(key as number) - this.#from] = value
  }

  delete(key: Key): void {
    if (this.get(key) === undefined) return
    this.#size -= 1
    if (!this.#others.delete(key)) this.#inSequence[(key as number) - this.#from] = undefined
  }

  /** Makes its room anew when most of it is empty. */
  tighten(): void {
    if (!this.hollow) return
    const [from, inSequence, others] = [this.#from, this.#inSequence, [...this.#others]]
    this.clear()
    inSequence.forEach((value, at) => value !== undefined && this.set(from + at, value))
    for (const [key, value] of others) this.set(key, value)
  }

  clear(): void {
    this.#inSequence = []
    this.#others.clear()
    this.#size = 0
  }

  /** Makes the array long enough for a number; false when it does not belong there. */
  #reach(key: Key): boolean {
    if (typeof key !== 'number' || !Number.isSafeInteger(key)) return false
    if (this.#inSequence.length === 0) this.#from = key
    const at = key - this.#from
    if (at < 0 || at > 2 * this.#size + HOLES) return false
    while (this.#inSequence.length <= at) this.#inSequence.push(undefined)
    return true
  }
}
