import type { Random } from '../../lib/random/random.ts'

/** Draws for what is made up, each by the name of what it decides and a number. */
export interface Draw {
  fraction(of: string, n: number): number
  /** From 0 to below `size`. */
  below(of: string, n: number, size: number): number
  one<Item>(of: string, n: number, list: readonly Item[]): Item
  /** By weight. */
  weighted<Item>(of: string, n: number, list: readonly (readonly [Item, number])[]): Item
}

export function drawFrom(random: Random): Draw {
  const fraction = (of: string, n: number) => random.fraction(of, n)
  const below = (of: string, n: number, size: number) => Math.floor(fraction(of, n) * size)
  return {
    fraction,
    below,
    one: (of, n, list) => list[below(of, n, list.length)]!,
    weighted(of, n, list) {
      let left = fraction(of, n) * list.reduce((sum, [, weight]) => sum + weight, 0)
      return (list.find(([, weight]) => (left -= weight) < 0) ?? list.at(-1)!)[0]
    },
  }
}
