/** How many values a page has room for: to go through one takes no time, and of pages there are few. */
export const PAGE = 512

/**
 * Values by whole number from a lowest one on, in pages: room is given back a page at a time, and nothing walks through all of
 * them when values come at one end and go at the other for ever.
 */
export class Pages<Value> {
  #pages: ((Value | undefined)[] | undefined)[] = []
  /** How many values each page has. */
  #used: number[] = []
  #from: number

  /** @param from the lowest number that there may be */
  constructor(from: number) {
    this.#from = from
  }

  /** The lowest number that there may be; it rises when the first pages go. */
  get from(): number {
    return this.#from
  }

  /** The number after the last page's last. */
  get end(): number {
    return this.#from + this.#pages.length * PAGE
  }

  get(number: number): Value | undefined {
    const at = number - this.#from
    return this.#pages[Math.floor(at / PAGE)]?.[at % PAGE]
  }

  set(number: number, value: Value): void {
    const at = number - this.#from
    if (at === 0 && this.#pages.length === 0) return this.#begin(value)
    const index = Math.floor(at / PAGE)
    while (this.#pages.length <= index) {
      this.#pages.push(undefined)
      this.#used.push(0)
    }
    const page = (this.#pages[index] ??= [])
    const place = at % PAGE
    while (page.length <= place) page.push(undefined)
    if (page[place] === undefined) this.#used[index]! += 1
    page[place] = value
  }

  /** Most tables have a row or two: what is written out has room for that, where an array that grew has it for sixteen more. */
  #begin(value: Value): void {
    this.#pages = [[value]]
    this.#used = [1]
  }

  /** Empties a place; the page stays. Returns how many values it has left. */
  delete(number: number): number {
    const at = number - this.#from
    const index = Math.floor(at / PAGE)
    const page = this.#pages[index]
    if (page?.[at % PAGE] === undefined) return this.#used[index] ?? 0
    page[at % PAGE] = undefined
    return (this.#used[index]! -= 1)
  }

  /** The first number of the page that a number belongs to. */
  startOf(number: number): number {
    return number - ((number - this.#from) % PAGE)
  }

  /** How many values the page has that begins with this number. */
  usedAt(start: number): number {
    return this.#used[(start - this.#from) / PAGE] ?? 0
  }

  /** The places of the page that begins with this number, as far as there are any. */
  pageAt(start: number): readonly (Value | undefined)[] {
    return this.#pages[(start - this.#from) / PAGE] ?? []
  }

  /** Puts these values in the first places of the page, and nothing in the others; without any, it gives the page up. */
  refill(start: number, values: readonly Value[]): void {
    const index = (start - this.#from) / PAGE
    this.#pages[index] = values.length === 0 ? undefined : [...values]
    this.#used[index] = values.length
    let empty = 0
    while (empty < this.#used.length && this.#used[empty] === 0) empty += 1
    if (empty === 0) return
    this.#pages.splice(0, empty)
    this.#used.splice(0, empty)
    this.#from += empty * PAGE
  }

  /** What `of` makes of each place, ascending; nothing where that is undefined. */
  map<Found>(of: (value: Value | undefined, number: number) => Found | undefined): Found[] {
    const found: Found[] = []
    for (let index = 0; index < this.#pages.length; index += 1) {
      const page = this.#pages[index] ?? []
      for (let place = 0; place < page.length; place += 1) {
        const made = of(page[place], this.#from + index * PAGE + place)
        if (made !== undefined) found.push(made)
      }
    }
    return found
  }
}
