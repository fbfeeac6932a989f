import type { Populate } from '../../generated/control/types.ts'
import type { Random } from '../../lib/random/random.ts'
import { endingOf } from '../../scenarios/magic.ts'
import type { Settings, Tx } from '../../service/domain/context.ts'
import { utcOffset } from '../../service/domain/countries/countries.ts'
import type { Country } from '../../service/domain/countries/country.ts'
import { WorldChange } from '../../storage/store/change.ts'
import type { WorldRows } from '../../storage/store/store.ts'
import { worldOf, type WorldTables } from '../../storage/store/world.ts'

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

/** How much is made up, nothing left out. */
export interface Amounts {
  readonly teams: number
  readonly members: number
  readonly transactions: number
  readonly days: number
  readonly seed: number
}

/** What was asked for, with what was left out as the description has it. */
export const amountsOf = (asked: Populate): Amounts => ({
  teams: asked.teams ?? 5,
  members: asked.members ?? 10,
  transactions: asked.transactions ?? 500,
  days: asked.days ?? 30,
  seed: asked.seed ?? 1,
})

/** For how long and how many transactions a world keeps that has to have all of the history: what comes later has room, too. */
export function keepFor(asked: Populate): string {
  const { days, transactions } = amountsOf(asked)
  return `${days + 30}d,${Math.max(20_000, 2 * transactions)}`
}

/**
 * The n-th mobile number of a country, with its dial code: of the operator whose numbers are kept for scenarios, and none of those.
 * @param drawn from 0 to below 1
 */
export function mobileOf({ code, magic: { block } }: Country, drawn: number): string {
  // In Kenya numbers beginning 070 are those of several operators.
  const stem = code === 'KE' ? '25471' : block.replace(/0+$/, '')
  const digits = block.length + 3 - stem.length
  const number = stem + String(Math.floor(drawn * 10 ** digits)).padStart(digits, '0')
  return endingOf(number) === undefined ? number : `${number.slice(0, -4)}1${number.slice(-3)}`
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How much is paid in each hour of a day: little at night, most around noon and after work. */
const hours = [2, 1, 1, 1, 1, 3, 8, 18, 34, 48, 55, 60, 66, 62, 55, 52, 54, 62, 66, 55, 38, 22, 11, 5]
/** From Sunday on. */
const weekdays = [0.45, 1, 0.95, 0.95, 1, 1.15, 0.8]

/**
 * So many times from `from` to before `to`, ascending: more by day than by night, more on weekdays, and more from month to month.
 * @param draw a fraction for each time
 */
export function timesBetween(from: number, to: number, count: number, draw: (n: number) => number): number[] {
  const offset = utcOffset('KE')
  const weights: number[] = []
  let sum = 0
  for (let at = from; at < to; at += HOUR) {
    const local = at + offset
    const day = Math.floor(local / DAY)
    const hour = hours[Math.floor((((local % DAY) + DAY) % DAY) / HOUR)]!
    // The first of January 1970 was a Thursday.
    const weekday = weekdays[(((day + 4) % 7) + 7) % 7]!
    const growth = 1 + (0.3 * (at - from)) / (to - from)
    const share = Math.min(1, (to - at) / HOUR)
    weights.push((sum += hour * weekday * growth * share))
  }
  const times: number[] = []
  weights.forEach((weight, slot) => {
    const until = Math.round((count * weight) / sum)
    const own = until - times.length
    const start = from + slot * HOUR
    const length = Math.min(HOUR, to - start)
    for (let n = 0; n < own; n += 1) times.push(Math.floor(start + (length * (n + draw(times.length))) / own))
  })
  return times
}

/**
 * A world that nobody knows of yet, in which time is whatever is said: a past is made in it by the same rules as any present. What
 * happens later is done by whoever makes it, so that no work is owed in it.
 */
export class Scratch {
  readonly #world: WorldTables
  readonly #settings: Settings
  readonly #random: Random

  constructor(rows: WorldRows, settings: Settings, random: Random) {
    this.#world = worldOf(rows)
    this.#settings = settings
    this.#random = random
  }

  /** What its rows take. */
  get bytes(): number {
    return this.#world.bytes
  }

  /** A change at a time, whole or not at all. */
  change<T>(at: number, work: (tx: Tx) => T): T {
    const rows = new WorldChange(this.#world)
    try {
      const done = work({ rows, now: at, random: this.#random, settings: this.#settings })
      for (const job of rows.walk('jobs', 'due', 0, { offset: 0, limit: 100 })) rows.delete('jobs', job.id)
      return done
    } catch (error) {
      rows.undo()
      throw error
    } finally {
      rows.end()
    }
  }

  rows(): WorldRows {
    return this.#world.rows()
  }
}
