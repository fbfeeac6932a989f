import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const here = fileURLToPath(new URL('.', import.meta.url))

/** Sizes and limits of the measurements. Times are in seconds. */
export interface Effort {
  readonly quick: boolean
  /** Rounds per contestant; the median counts. */
  readonly rounds: number
  readonly starts: number
  /** Requests before the measurement; the code gets faster for about 50,000 of them. */
  readonly warmUp: number
  readonly measure: number
  readonly connections: number
  /** Transactions in a world, in memory and in a file. */
  readonly growth: readonly number[]
  readonly growthInFile: readonly number[]
}

export const effortOf = (quick: boolean): Effort =>
  quick
    ? {
        quick,
        rounds: 1,
        starts: 2,
        warmUp: 5_000,
        measure: 1,
        connections: 32,
        growth: [0, 10_000, 50_000],
        growthInFile: [1, 5_000],
      }
    : {
        quick,
        rounds: 3,
        starts: 9,
        warmUp: 60_000,
        measure: 2,
        connections: 32,
        growth: [0, 100_000, 1_000_000],
        growthInFile: [1, 10_000, 50_000],
      }

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
