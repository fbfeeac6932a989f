import type { Key } from './tables.ts'

interface Chunk {
  readonly numbers: number[]
  readonly keys: Key[]
}

/** Small enough that a splice is cheap, large enough that a million entries make few chunks. */
const CHUNK_SIZE = 512

/** Keys in ascending order of (number, key). Keys of one list are all numbers or all strings. */
export class SortedList {
  readonly #chunks: Chunk[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds an entry; it must not be there yet. */
  add(number: number, key: Key): void {
    this.#size += 1
    const last = this.#chunks.length - 1
    if (last < 0) {
      this.#chunks.push({ numbers: [number], keys: [key] })
      return
    }
    const at = this.#chunkOf(number, key)
    const chunk = this.#chunks[at]!
    const position = positionIn(chunk, number, key)
    // Most entries come in ascending order: opening a chunk instead of splitting one keeps chunks full.
    if (at === last && position === CHUNK_SIZE) {
      this.#chunks.push({ numbers: [number], keys: [key] })
      return
    }
    chunk.numbers.splice(position, 0, number)
    chunk.keys.splice(position, 0, key)
    if (chunk.keys.length > CHUNK_SIZE) this.#split(at)
  }

  /** Takes an entry out; nothing happens when it is not there. */
  remove(number: number, key: Key): void {
    if (this.#size === 0) return
    const at = this.#chunkOf(number, key)
    const chunk = this.#chunks[at]!
    const position = positionIn(chunk, number, key)
    if (chunk.keys[position] !== key || chunk.numbers[position] !== number) return
    this.#size -= 1
    chunk.numbers.splice(position, 1)
    chunk.keys.splice(position, 1)
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1)
    else if (chunk.keys.length < CHUNK_SIZE / 8) this.#mergeWithNext(at)
  }

  /** How many entries come before one, whether it is there or not. */
  rank(number: number, key: Key): number {
    if (this.#size === 0) return 0
    const at = this.#chunkOf(number, key)
    let before = positionIn(this.#chunks[at]!, number, key)
    for (let i = 0; i < at; i += 1) before += this.#chunks[i]!.keys.length
    return before
  }

  /** Up to `limit` keys after skipping `offset`, from the lowest on, or from the highest on. */
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

  /** The last chunk that begins at or before the entry, or the first chunk. */
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
    const { numbers, keys } = this.#chunks[at]!
    const half = CHUNK_SIZE / 2
    this.#chunks.splice(at + 1, 0, { numbers: numbers.splice(half), keys: keys.splice(half) })
  }

  #mergeWithNext(at: number): void {
    const chunk = this.#chunks[at]!
    const next = this.#chunks[at + 1]
    if (!next || chunk.keys.length + next.keys.length > CHUNK_SIZE / 2) return
    chunk.numbers.push(...next.numbers)
    chunk.keys.push(...next.keys)
    this.#chunks.splice(at + 1, 1)
  }
}

function isBefore(number: number, key: Key, otherNumber: number, otherKey: Key): boolean {
  return number === otherNumber ? key < otherKey : number < otherNumber
}

/** Where the entry is in the chunk, or where it belongs. */
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
