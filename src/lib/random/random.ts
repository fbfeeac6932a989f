import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'

/** Returns 24 characters of base64url, for passwords and names. */
export type Secrets = () => string

export const systemSecrets: Secrets = () => randomBytes(18).toString('base64url')

export const systemUuid = (): string => randomUUID()

export function seededSecrets(seed: string): Secrets {
  let made = 0
  return () => createHash('sha256').update(`${seed}\0secret\0${++made}`).digest('base64url').slice(0, 24)
}

/** @param key - The key of `secret`; must be secret if clients are not trusted. */
export const createRandom = (seed: string, key = seed) => new SeededRandom(seed, key)
export type Random = SeededRandom

/**
 * Randomness as a parameter. Every value is a function of the seed, the name of a stream and a number: the n-th value is the same
 * after a restart and in any order. A class, because closures would take ten times the memory, and every world has one.
 */
class SeededRandom {
  readonly #seed: string
  readonly #key: string
  /** The start values of streams; created when needed. */
  #streams: Map<string, number> | undefined

  constructor(seed: string, key: string) {
    this.#seed = seed
    this.#key = key
  }

  /** Returns a number in [0, 1). */
  fraction(stream: string, n: number): number {
    return (this.#word(stream, n, 0) >>> 0) / 0x1_0000_0000
  }

  uuid(stream: string, n: number): string {
    const hex = (part: number) => (this.#word(stream, n, part) >>> 0).toString(16).padStart(8, '0')
    const digits = hex(1) + hex(2) + hex(3) + hex(4)
    const variant = '89ab'[parseInt(digits[16]!, 16) % 4]
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
  }

  /** Returns 22 characters of base64url that cannot be guessed without the key. */
  secret(stream: string, n: number): string {
    return createHmac('sha256', this.#key).update(`${stream}\0${n}`).digest('base64url').slice(0, 22)
  }

  /**
   * Returns the n-th number of a permutation of 0 to `size - 1`, whose neighbours have no constant distance.
   * @param size - A multiple of 1,000 or of 36².
   */
  shuffled(stream: string, n: number, size: number): number {
    const part = partOf(size)
    const parts = size / part
    const start = this.#start(stream)
    const at = n % size
    const low = ((at % part) + stepOf(start, 0, Math.floor(at / part), part)) % part
    const high = (Math.floor(at / part) + stepOf(start, 1, low, parts)) % parts
    return high * part + ((low + stepOf(start, 2, high, part)) % part)
  }

  unshuffled(stream: string, shuffled: number, size: number): number {
    const part = partOf(size)
    const parts = size / part
    const start = this.#start(stream)
    const high = Math.floor(shuffled / part)
    const low = (shuffled - high * part + part - stepOf(start, 2, high, part)) % part
    const first = (high + parts - stepOf(start, 1, low, parts)) % parts
    return first * part + ((low + part - stepOf(start, 0, first, part)) % part)
  }

  #start(stream: string): number {
    const streams = (this.#streams ??= new Map<string, number>())
    let start = streams.get(stream)
    if (start === undefined) streams.set(stream, (start = hashText(`${this.#seed}\0${stream}`)))
    return start
  }

  #word(stream: string, n: number, part: number): number {
    return wordOf(this.#start(stream), n, part)
  }
}

function wordOf(start: number, n: number, part: number): number {
  const drawn = mix(start + Math.imul(n | 0, 0x9e3779b9) + Math.floor(n / 0x1_0000_0000))
  return mix(drawn + part * 0x85ebca6b)
}

/** Returns a whole number below `size`. */
const stepOf = (start: number, round: number, of: number, size: number): number =>
  Math.floor(((wordOf(start, of, 5 + round) >>> 0) / 0x1_0000_0000) * size)

const partOf = (size: number): number => (size % 1_000 === 0 ? 1_000 : 36 ** 2)

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return mix(hash)
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/** Returns 16 random bytes in base64, for nonces of pages. */
export const unforeseeable = () => randomBytes(16).toString('base64')

export const unforeseeableWord = () => randomBytes(4).readInt32LE()
