/** Slots in ascending order, which is the order of age. */
export class SlotList {
  #slots: number[]
  /** Those before it have gone. */
  #from = 0

  /** @param slots ascending; they are the list's from now on */
  constructor(slots: number[]) {
    this.#slots = slots
  }

  get length(): number {
    return this.#slots.length - this.#from
  }

  slice(start: number, end: number): number[] {
    return this.#slots.slice(this.#from + start, this.#from + end)
  }

  /** Adds a slot that is not there yet. */
  add(slot: number): void {
    this.#slots.splice(this.#placeOf(slot), 0, slot)
  }

  /** Takes out a slot that is there. */
  delete(slot: number): void {
    // Of many the oldest go first, and to move all the others each time would take long.
    if (this.#slots[this.#from] === slot) this.#dropFirst()
    else this.#slots.splice(this.#placeOf(slot), 1)
  }

  /** Puts a slot in the place of another; none that is there lies between the two. */
  replace(before: number, after: number): void {
    this.#slots[this.#placeOf(before)] = after
  }

  #dropFirst(): void {
    this.#from += 1
    if (this.#from < this.#slots.length / 2) return
    this.#slots = this.#slots.slice(this.#from)
    this.#from = 0
  }

  /** Where the slot is, or where it belongs. */
  #placeOf(slot: number): number {
    const slots = this.#slots
    let low = this.#from
    let high = slots.length
    // New rows are the youngest: look at the end before searching.
    if (high > low && slots[high - 1]! < slot) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (slots[middle]! < slot) low = middle + 1
      else high = middle
    }
    return low
  }
}
