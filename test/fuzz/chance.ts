/** Chance that can be played again: the same draws, in the same order, for the same seed. */
export interface Chance {
  /** A whole number from 0 to below `size`. */
  below(size: number): number
  /** True once in so many times. */
  once(times: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Mulberry32. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (size: number) => Math.floor(next() * size)
  return { below, once: (times) => below(times) === 0, pick: (list) => list[below(list.length)]! }
}
