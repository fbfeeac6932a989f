import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'

/** Returns 24 characters of base64url, for passwords and names. */
export type Secrets = () => string

export const systemSecrets: Secrets = () => randomBytes(18).toString('base64url')

export const systemUuid = (): string => randomUUID()

export function seededSecrets(seed: string): Secrets {
  let made = 0
  return () => createHash('sha256').update(`${seed}\0secret\0${++made}`).digest('base64url').slice(0, 24)
}

/**
 * @param key - The key of `secret`; must be secret if clients are not trusted.
 * @param scatters - Whether neighbours of a permutation have no constant distance, where its size allows it.
 */
export const createRandom = (seed: string, key = seed, scatters = false) =>
  new SeededRandom(seed, key, scatters)
export type Random = SeededRandom

/**
 * Randomness as a parameter. Every value is a function of the seed, the name of a stream and a number: the n-th value is the same
 * after a restart and in any order. A class, because closures would take ten times the memory, and every world has one.
 */
class SeededRandom {
  readonly #seed: string
  readonly #key: string
  readonly #scatters: boolean
  /** The start values of streams; created when needed. */
  #streams: Map<string, number> | undefined

  constructor(seed: string, key: string, scatters: boolean) {
    this.#seed = seed
    this.#key = key
    this.#scatters = scatters
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

  /** Returns the n-th number of a permutation of 0 to `size - 1`. */
  shuffled(stream: string, n: number, size: number): number {
    const part = this.#scatters ? partOf(size) : undefined
    if (part !== undefined) return this.scattered(stream, n, size, part)
    return ((n % size) * STEP + (this.#start(stream) >>> 0)) % size
  }

  unshuffled(stream: string, shuffled: number, size: number): number {
    const part = this.#scatters ? partOf(size) : undefined
    if (part !== undefined) return this.unscattered(stream, shuffled, size, part)
    const steps = BigInt(shuffled) - BigInt(this.#start(stream) >>> 0)
    const whole = BigInt(size)
    return Number((((steps * inverse(BigInt(STEP), whole)) % whole) + whole) % whole)
  }

  /** Returns the n-th number of a permutation whose neighbours have no constant distance; `size` is a multiple of `part`. */
  scattered(stream: string, n: number, size: number, part: number): number {
    const parts = size / part
    const at = n % size
    const low = ((at % part) + this.#step(stream, 0, Math.floor(at / part), part)) % part
    const high = (Math.floor(at / part) + this.#step(stream, 1, low, parts)) % parts
    return high * part + ((low + this.#step(stream, 2, high, part)) % part)
  }

  unscattered(stream: string, scattered: number, size: number, part: number): number {
    const parts = size / part
    const high = Math.floor(scattered / part)
    const low = (scattered - high * part + part - this.#step(stream, 2, high, part)) % part
    const first = (high + parts - this.#step(stream, 1, low, parts)) % parts
    return first * part + ((low + part - this.#step(stream, 0, first, part)) % part)
  }

  /** Returns a whole number below `size`. */
  #step(stream: string, round: number, of: number, size: number): number {
    return Math.floor(this.fraction(`${stream} ${round}`, of) * size)
  }

  #start(stream: string): number {
    const streams = (this.#streams ??= new Map<string, number>())
    let start = streams.get(stream)
    if (start === undefined) streams.set(stream, (start = hashText(`${this.#seed}\0${stream}`)))
    return start
  }

  #word(stream: string, n: number, part: number): number {
    const drawn = mix(this.#start(stream) + Math.imul(n | 0, 0x9e3779b9) + Math.floor(n / 0x1_0000_0000))
    return mix(drawn + part * 0x85ebca6b)
  }
}

const partOf = (size: number): number | undefined => [1_000, 36 ** 2].find((part) => size % part === 0)

/** A prime: multiples of it visit every number below any size that it does not divide. */
const STEP = 7_368_787

/** Returns the modular inverse of `number`; the two must be coprime. */
function inverse(number: bigint, size: bigint): bigint {
  let [rest, next] = [size, number % size]
  let [before, found] = [0n, 1n]
  while (next > 0n) {
    const times = rest / next
    ;[rest, next] = [next, rest - times * next]
    ;[before, found] = [found, before - times * found]
  }
  return before
}

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
