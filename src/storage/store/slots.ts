import type { Key } from './tables.ts'

/** Number of values per page. */
export const PAGE = 512

/**
 * Values by whole number, in pages: memory is freed page by page, and nothing walks through all values when they are added at
 * one end and removed at the other forever.
 */
export class Pages<Value> {
  #pages: ((Value | undefined)[] | undefined)[] = []
  #used: number[] = []
  #from: number

  /** @param from - The lowest number. */
  constructor(from: number) {
    this.#from = from
  }

  get from(): number {
    return this.#from
  }

  /** The first number after the last page. */
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

  /** Most tables have one or two rows: a literal has no spare capacity, an array that grew has room for sixteen more. */
  #begin(value: Value): void {
    this.#pages = [[value]]
    this.#used = [1]
  }

  /** Removes a value; the page stays. Returns how many values the page has left. */
  delete(number: number): number {
    const at = number - this.#from
    const index = Math.floor(at / PAGE)
    const page = this.#pages[index]
    if (page?.[at % PAGE] === undefined) return this.#used[index] ?? 0
    page[at % PAGE] = undefined
    return (this.#used[index]! -= 1)
  }

  /** Returns how many values the page of a number has, or undefined if there is no such page. */
  usedAt(number: number): number | undefined {
    return this.#used[Math.floor((number - this.#from) / PAGE)]
  }

  /** Frees the page of a number, and visits the values that it has left. The last page stays for new values. */
  free(number: number, visit?: (value: Value, number: number) => void): void {
    const index = Math.floor((number - this.#from) / PAGE)
    if (index === this.#pages.length - 1) return
    const start = this.#from + index * PAGE
    this.#pages[index]?.forEach((value, place) => value !== undefined && visit?.(value, start + place))
    this.#pages[index] = undefined
    this.#used[index] = 0
    const first = this.#used.findIndex((used) => used > 0)
    if (first <= 0) return
    this.#pages.splice(0, first)
    this.#used.splice(0, first)
    this.#from += first * PAGE
  }

  /** Maps each place, ascending; skips undefined results. */
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

/** The largest segment: splitting one takes a fraction of a millisecond. */
const LARGEST = 16_384
const SMALLEST = 8
/** Maximum number of hash bits that distinguish segments; equal hashes can never be split. */
const DEEPEST = 16

/** Pairs of a hash and a number other than 0, with linear probing. */
interface Segment {
  readonly pairs: Int32Array
  readonly capacity: number
  size: number
  /** How many leading bits of the hash all its pairs share. */
  readonly depth: number
}

/**
 * A multimap from hashes to numbers with eight bytes per pair, which is why a million identifiers are cheap where a Map would
 * keep texts and links. It uses extendible hashing: one segment at a time grows or is split, so nothing walks through all pairs.
 */
export class HashTable {
  /** By the leading bits of the hash; neighbours may share a segment. */
  #segments: Segment[] = []
  #depth = 0

  /** Returns the first number under a hash that `isIt` accepts, or 0. */
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

  replace(hash: number, before: number, after: number): void {
    const segment = this.#segmentOf(hash)!
    segment.pairs[2 * placeOf(segment, hash, before) + 1] = after
  }

  delete(hash: number, number: number): void {
    const segment = this.#segmentOf(hash)!
    const { pairs, capacity } = segment
    segment.size -= 1
    let hole = placeOf(segment, hash, number)
    // Pairs that were displaced past the hole move up, so that no search ends too early.
    for (let at = (hole + 1) & (capacity - 1); pairs[2 * at + 1] !== 0; at = (at + 1) & (capacity - 1)) {
      const home = pairs[2 * at]! & (capacity - 1)
      if (((at - home) & (capacity - 1)) < ((at - hole) & (capacity - 1))) continue
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
    this.#substitute(segment, hash, (at) => halves[(at >>> (this.#depth - depth)) & 1]!)
  }

  #resize(segment: Segment, hash: number, capacity: number): void {
    const resized = segmentOf(capacity, segment.depth)
    forEachPair(segment, (hash, number) => put(resized, hash, number))
    this.#substitute(segment, hash, () => resized)
  }

  /** Replaces a segment at all its consecutive positions; `hash` is any hash that leads to it. */
  #substitute({ depth }: Segment, hash: number, segmentAt: (at: number) => Segment): void {
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

function forEachPair({ pairs, capacity }: Segment, visit: (hash: number, number: number) => void): void {
  for (let at = 0; at < capacity; at += 1)
    if (pairs[2 * at + 1] !== 0) visit(pairs[2 * at]!, pairs[2 * at + 1]!)
}

/** How far a number may be ahead of the others in a small sequence. */
const HOLES = 64
const FEW = PAGE / 16

/**
 * Maps keys to slots or other values. Consecutive numbers are in pages: a hash map of a million keys does not fit into any
 * processor cache.
 */
export class RowIndex<Value = number> {
  /** Begins with the first number added. Both are created when needed: most worlds are small. */
  #inSequence: Pages<Value> | undefined
  #others: Map<Key, Value> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    const held = typeof key === 'number' ? this.#inSequence?.get(key) : undefined
    // A number that arrived too early stays in `#others` when the pages reach it.
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
    // The few values left in a page move to `#others`.
    if (this.#inSequence!.delete(key as number) < FEW)
      this.#inSequence!.free(key as number, (value, number) =>
        (this.#others ??= new Map()).set(number, value),
      )
  }

  /** Returns whether a number belongs into the pages. */
  #reaches(key: number): boolean {
    if (!Number.isSafeInteger(key)) return false
    // The number is counted already: if it is the only one, the pages may start anew.
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
}
