import type { Key } from './tables.ts'

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

/** The largest segment: to split one takes a fraction of a millisecond. */
const LARGEST = 16_384
const SMALLEST = 8
/** How many bits of a hash may tell segments apart; those of one hash can never be split. */
const DEEPEST = 16

/** Pairs of a hash and a number that is not 0, in the first free place from where the hash says. */
interface Segment {
  readonly pairs: Int32Array
  readonly capacity: number
  size: number
  /** How many of the first bits of the hash all of its pairs have in common. */
  readonly depth: number
}

/**
 * Numbers by hashes, any number of them under one hash: eight bytes a pair, which is what makes a million identifiers cheap
 * where a Map keeps texts and links (extendible hashing: one segment at a time grows or is split, so nothing ever walks over
 * all of them, and there is no limit). Whoever looks has to see for himself which number of a hash he means.
 */
export class HashTable {
  /** By the first bits of a hash; neighbours may share a segment. */
  #segments: Segment[] = []
  /** How many bits that is. */
  #depth = 0

  /** The first number under a hash that `isIt` says yes to; 0 when there is none. */
  find(hash: number, isIt: (number: number) => boolean): number {
    const segment = this.#segmentOf(hash)
    if (!segment) return 0
    const { pairs, capacity } = segment
    for (let at = hash & (capacity - 1); pairs[2 * at + 1] !== 0; at = (at + 1) & (capacity - 1))
      if (pairs[2 * at] === hash && isIt(pairs[2 * at + 1]!)) return pairs[2 * at + 1]!
    return 0
  }

  add(hash: number, number: number): void {
    if (this.#segments.length === 0) this.#segments.push(segmentOf(SMALLEST, 0))
    let segment = this.#segmentOf(hash)!
    while (segment.size >= segment.capacity - (segment.capacity >> 3)) {
      this.#grow(segment, hash)
      segment = this.#segmentOf(hash)!
    }
    put(segment, hash, number)
  }

  /** Puts one number in the place of another that is there under the hash. */
  replace(hash: number, before: number, after: number): void {
    const segment = this.#segmentOf(hash)!
    segment.pairs[2 * placeOf(segment, hash, before) + 1] = after
  }

  /** Takes out a number that is there under the hash. */
  delete(hash: number, number: number): void {
    const segment = this.#segmentOf(hash)!
    const { pairs, capacity } = segment
    segment.size -= 1
    let hole = placeOf(segment, hash, number)
    // Whatever stands behind the hole because its place was taken moves up, so that no look ends too early.
    for (let at = (hole + 1) & (capacity - 1); pairs[2 * at + 1] !== 0; at = (at + 1) & (capacity - 1)) {
      const wanted = pairs[2 * at]! & (capacity - 1)
      if (((at - wanted) & (capacity - 1)) < ((at - hole) & (capacity - 1))) continue
      pairs.copyWithin(2 * hole, 2 * at, 2 * at + 2)
      hole = at
    }
    pairs[2 * hole + 1] = 0
    if (capacity > SMALLEST && segment.size < capacity >> 3) this.#resize(segment, hash, capacity >> 1)
  }

  #segmentOf(hash: number): Segment | undefined {
    return this.#segments[this.#depth === 0 ? 0 : hash >>> (32 - this.#depth)]
  }

  #grow(segment: Segment, hash: number): void {
    if (segment.capacity < LARGEST || segment.depth === DEEPEST)
      return this.#resize(segment, hash, segment.capacity * 2)
    if (segment.depth === this.#depth) {
      this.#segments = this.#segments.flatMap((each) => [each, each])
      this.#depth += 1
    }
    const depth = segment.depth + 1
    const halves = [segmentOf(segment.capacity, depth), segmentOf(segment.capacity, depth)]
    forEachPair(segment, (hash, number) => put(halves[(hash >>> (32 - depth)) & 1]!, hash, number))
    this.#instead(segment, hash, (at) => halves[(at >>> (this.#depth - depth)) & 1]!)
  }

  #resize(segment: Segment, hash: number, capacity: number): void {
    const resized = segmentOf(capacity, segment.depth)
    forEachPair(segment, (hash, number) => put(resized, hash, number))
    this.#instead(segment, hash, () => resized)
  }

  /** Puts others wherever a segment stands, which is in a row: `hash` is one of those that lead to it. */
  #instead({ depth }: Segment, hash: number, segmentAt: (at: number) => Segment): void {
    const count = 2 ** (this.#depth - depth)
    const first = depth === 0 ? 0 : (hash >>> (32 - depth)) * count
    for (let at = first; at < first + count; at += 1) this.#segments[at] = segmentAt(at)
  }
}

function segmentOf(capacity: number, depth: number): Segment {
  return { pairs: new Int32Array(2 * capacity), capacity, size: 0, depth }
}

function put(segment: Segment, hash: number, number: number): void {
  const { pairs, capacity } = segment
  let at = hash & (capacity - 1)
  while (pairs[2 * at + 1] !== 0) at = (at + 1) & (capacity - 1)
  pairs[2 * at] = hash
  pairs[2 * at + 1] = number
  segment.size += 1
}

function placeOf({ pairs, capacity }: Segment, hash: number, number: number): number {
  let at = hash & (capacity - 1)
  while (pairs[2 * at] !== hash || pairs[2 * at + 1] !== number) {
    if (pairs[2 * at + 1] === 0) throw new Error(`There is no ${number} under this hash`)
    at = (at + 1) & (capacity - 1)
  }
  return at
}

function forEachPair({ pairs, capacity }: Segment, tell: (hash: number, number: number) => void): void {
  for (let at = 0; at < capacity; at += 1)
    if (pairs[2 * at + 1] !== 0) tell(pairs[2 * at]!, pairs[2 * at + 1]!)
}

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
