import type { Key, Order } from './tables.ts'

interface Chunk {
  readonly numbers: number[]
  readonly keys: Key[]
  readonly amounts?: number[] | undefined
  sum: number
}

/** The entries before a position of an order. */
export interface Rank {
  readonly count: number
  readonly sum: number
}

/** Small enough for cheap splices, large enough that a million entries need few chunks. */
const CHUNK_SIZE = 512

/** Keys ordered by (number, key). The keys of a list are all numbers or all strings. */
export class SortedList {
  readonly #chunks: Chunk[] = []
  readonly #sums: boolean
  #size = 0

  /** @param sums - Whether entries have amounts. */
  constructor(sums = false) {
    this.#sums = sums
  }

  get size(): number {
    return this.#size
  }

  add(number: number, key: Key, amount = 0): void {
    this.#size += 1
    const last = this.#chunks.at(-1)
    if (!last) return this.#open(number, key, amount)
    const end = last.keys.length - 1
    if (isBefore(last.numbers[end]!, last.keys[end]!, number, key))
      return this.#append(last, number, key, amount)
    const at = this.#chunkOf(number, key)
    const chunk = this.#chunks[at]!
    const position = positionIn(chunk, number, key)
    chunk.numbers.splice(position, 0, number)
    chunk.keys.splice(position, 0, key)
    chunk.amounts?.splice(position, 0, amount)
    chunk.sum += amount
    if (chunk.keys.length > CHUNK_SIZE) this.#split(at)
  }

  remove(number: number, key: Key): void {
    if (this.#size === 0) return
    const at = this.#chunkOf(number, key)
    const chunk = this.#chunks[at]!
    const position = positionIn(chunk, number, key)
    if (chunk.keys[position] !== key || chunk.numbers[position] !== number) return
    this.#size -= 1
    chunk.numbers.splice(position, 1)
    chunk.keys.splice(position, 1)
    if (chunk.amounts) chunk.sum -= chunk.amounts.splice(position, 1)[0]!
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1)
    else if (chunk.keys.length < CHUNK_SIZE / 8) this.#mergeWithNext(at)
  }

  /** Returns up to `limit` keys after skipping `offset`, in ascending or descending order. */
  keys(offset: number, limit: number, fromHighest = false): Key[] {
    const found: Key[] = []
    const chunks = this.#chunks
    let skip = offset
    for (let i = 0; i < chunks.length && found.length < limit; i += 1) {
      const { keys } = chunks[fromHighest ? chunks.length - 1 - i : i]!
      for (let j = skip; j < keys.length && found.length < limit; j += 1) {
        found.push(keys[fromHighest ? keys.length - 1 - j : j]!)
      }
      skip = Math.max(0, skip - keys.length)
    }
    return found
  }

  /** Returns the number and the sum of the entries before this one, which need not be in the list. */
  rank(number: number, key: Key): Rank {
    if (this.#size === 0) return { count: 0, sum: 0 }
    const at = this.#chunkOf(number, key)
    const chunk = this.#chunks[at]!
    let count = positionIn(chunk, number, key)
    let sum = 0
    for (let i = 0; chunk.amounts && i < count; i += 1) sum += chunk.amounts[i]!
    for (let i = 0; i < at; i += 1) {
      count += this.#chunks[i]!.keys.length
      sum += this.#chunks[i]!.sum
    }
    return { count, sum }
  }

  /** Most entries arrive in ascending order: starting a chunk instead of splitting one keeps chunks full. */
  #append(last: Chunk, number: number, key: Key, amount: number): void {
    if (last.keys.length === CHUNK_SIZE) return this.#open(number, key, amount)
    last.numbers.push(number)
    last.keys.push(key)
    last.amounts?.push(amount)
    last.sum += amount
  }

  #open(number: number, key: Key, amount: number): void {
    const amounts = this.#sums ? [amount] : undefined
    this.#chunks.push({ numbers: [number], keys: [key], amounts, sum: amount })
  }

  /** Returns the last chunk that begins at or before the entry, or the first chunk. */
  #chunkOf(number: number, key: Key): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      const { numbers, keys } = this.#chunks[middle]!
      if (isBefore(number, key, numbers[0]!, keys[0]!)) high = middle - 1
      else low = middle
    }
    return low
  }

  #split(at: number): void {
    const chunk = this.#chunks[at]!
    const half = CHUNK_SIZE / 2
    const amounts = chunk.amounts?.splice(half)
    const sum = amounts?.reduce((all, each) => all + each, 0) ?? 0
    chunk.sum -= sum
    const upper = { numbers: chunk.numbers.splice(half), keys: chunk.keys.splice(half), amounts, sum }
    this.#chunks.splice(at + 1, 0, upper)
  }

  #mergeWithNext(at: number): void {
    const chunk = this.#chunks[at]!
    const next = this.#chunks[at + 1]
    if (!next || chunk.keys.length + next.keys.length > CHUNK_SIZE / 2) return
    chunk.numbers.push(...next.numbers)
    chunk.keys.push(...next.keys)
    chunk.amounts?.push(...next.amounts!)
    chunk.sum += next.sum
    this.#chunks.splice(at + 1, 1)
  }
}

function isBefore(number: number, key: Key, otherNumber: number, otherKey: Key): boolean {
  return number === otherNumber ? key < otherKey : number < otherNumber
}

/** Returns the position of the entry in the chunk, or where it belongs. */
function positionIn({ numbers, keys }: Chunk, number: number, key: Key): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(numbers[middle]!, keys[middle]!, number, key)) low = middle + 1
    else high = middle
  }
  return low
}

const NOTHING = new SortedList()

/** The keys of a table's rows in a declared order, one list per group. */
export class OrderIndex<Row> {
  readonly name: string
  #groups: Map<Key, SortedList> | undefined
  readonly #order: Order<Row>

  constructor(name: string, order: Order<Row>) {
    this.name = name
    this.#order = order
  }

  get size(): number {
    return this.#groups?.size ?? 0
  }

  group(group: Key): SortedList {
    return this.#groups?.get(group) ?? NOTHING
  }

  rank(group: Key, by: number, key: Key): Rank {
    return this.group(group).rank(by, key)
  }

  /** Moves a row to its new position; `undefined` means no row. */
  replace(key: Key, before: Row | undefined, after: Row | undefined): void {
    const { group, by, sum } = this.#order
    const [had, has] = [before && group(before), after && group(after)]
    if (before && after && !sum && had === has && by(before) === by(after)) return
    if (before) for (const each of listOf(had!)) this.#remove(each, by(before), key)
    if (after) for (const each of listOf(has!)) this.#add(each, by(after), key, sum?.(after, each))
  }

  #add(group: Key, number: number, key: Key, amount: number | undefined): void {
    if (group === '') return
    const groups = (this.#groups ??= new Map<Key, SortedList>())
    let list = groups.get(group)
    if (!list) groups.set(group, (list = new SortedList(amount !== undefined)))
    list.add(number, key, amount)
  }

  #remove(group: Key, number: number, key: Key): void {
    const list = this.#groups?.get(group)
    list?.remove(number, key)
    if (list?.size === 0) this.#groups!.delete(group)
  }
}

const listOf = (group: Key | readonly Key[]): readonly Key[] => (typeof group === 'object' ? group : [group])
