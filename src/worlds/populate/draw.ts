import type { Populate } from '../../generated/control/types.ts'
import type { Random } from '../../lib/random/random.ts'
import { endingOf, utcOffset } from '../../service/domain/countries/countries.ts'
import type { Country } from '../../service/domain/countries/country.ts'
import { prefixesOf } from '../../service/domain/countries/networks.ts'
import type { Settings, Tx } from '../../service/domain/context.ts'
import { WorldChange, type WorldRows } from '../../storage/store/change.ts'
import { worldOf, type WorldTables } from '../../storage/store/world.ts'

export type Draw = ReturnType<typeof drawFrom>

/** Random draws for generated data. Each is determined by the name of the decision and a number. */
export function drawFrom(random: Random) {
  const fraction = (of: string, n: number) => random.fraction(of, n)
  const below = (of: string, n: number, size: number) => Math.floor(fraction(of, n) * size)
  return {
    fraction,
    /** From 0 to below `size`. */
    below,
    one: <Item>(of: string, n: number, list: readonly Item[]): Item => list[below(of, n, list.length)]!,
    weighted<Item>(of: string, n: number, list: readonly (readonly [Item, number])[]): Item {
      let left = fraction(of, n) * list.reduce((sum, [, weight]) => sum + weight, 0)
      return (list.find(([, weight]) => (left -= weight) < 0) ?? list.at(-1)!)[0]
    },
  }
}

export type Amounts = ReturnType<typeof amountsOf>

/** Fills in the documented defaults. */
export const amountsOf = (asked: Populate) => ({
  teams: asked.teams ?? 5,
  members: asked.members ?? 10,
  transactions: asked.transactions ?? 500,
  days: asked.days ?? 30,
  seed: asked.seed ?? 1,
})

/** Returns a setting `keep` that holds the whole history and leaves room for later transactions. */
export function keepFor(asked: Populate): string {
  const { days, transactions } = amountsOf(asked)
  return `${days + 30}d,${Math.max(20_000, 2 * transactions)}`
}

/**
 * Returns a mobile number of a country, with its dial code, that no scenario uses.
 * @param network - of mobile money; any if omitted or if it accepts every number
 */
export function mobileOf(country: Country, draw: Draw, of: string, n: number, network?: string): string {
  const { numbering, dial_code, test_numbers } = country
  const own = numbering.operators.filter(
    ({ networks }) => network !== undefined && networks.includes(network),
  )
  const operators = own.length > 0 ? own : numbering.operators.filter(({ networks }) => networks.length > 0)
  const prefixes = operators.flatMap(prefixesOf).map((prefix) => [prefix, 10 ** -prefix.length] as const)
  const stem = dial_code + draw.weighted(`${of} prefix`, n, prefixes)
  const digits = test_numbers.block.length + 3 - stem.length
  const number = stem + digitsOf(draw, of, n, digits)
  return endingOf(number) === undefined ? number : `${number.slice(0, -4)}1${number.slice(-3)}`
}

/** @param length - at most nine */
export const digitsOf = (draw: Draw, of: string, n: number, length: number): string =>
  String(draw.below(of, n, 10 ** length)).padStart(length, '0')

/** Replaces `#` by a digit, `YYYY` and `MMDD` by a date of birth, and capitals `A` at the end by other capitals. */
export function filled(draw: Draw, of: string, n: number, pattern: string): string {
  let place = 0
  return pattern
    .replace('YYYY', () => String(1955 + draw.below(`${of} year`, n, 50)))
    .replace('MMDD', () => `0${1 + draw.below(`${of} month`, n, 9)}${10 + draw.below(`${of} day`, n, 19)}`)
    .replace(/#|A(?=A*$)/g, (sign) => {
      const drawn = draw.fraction(`${of} ${(place += 1)}`, n)
      return sign === '#' ? String(Math.floor(drawn * 10)) : CAPITALS[Math.floor(drawn * CAPITALS.length)]!
    })
}

const CAPITALS = 'ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Steps of prices relative to their power of ten, with their number. */
const steps = [
  [0.5, 40],
  [0.1, 34],
  [0.05, 20],
  [0.01, 6],
] as const

/**
 * Returns a price as people of the country write it: a few hundreds or thousands of the currency, mostly round.
 * @param worth - major units
 * @param coin - the smallest amount
 */
export function price(draw: Draw, n: number, worth: number, coin: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(worth, coin)))
  return rounded(worth, Math.max(coin, power * draw.weighted('step', n, steps)))
}

/** Rounds to a multiple of a step that is a fraction or a multiple of 1, without errors of binary fractions. */
export const rounded = (value: number, step: number): number =>
  Number((Math.max(1, Math.round(value / step)) * step).toFixed(2))

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Relative number of payments in each hour of a day: most around noon and after work. */
const hours = [2, 1, 1, 1, 1, 3, 8, 18, 34, 48, 55, 60, 66, 62, 55, 52, 54, 62, 66, 55, 38, 22, 11, 5]
/** Starting on Sunday. */
const weekdays = [0.45, 1, 0.95, 0.95, 1, 1.15, 0.8]

/**
 * Returns ascending times from `from` to before `to`: more by day, on weekdays and around paydays, and increasingly many.
 * @param draw - Returns a fraction for each time.
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
    const date = new Date(day * DAY).getUTCDate()
    const payday = date > 26 || date < 4 ? 1.25 : 1
    const growth = 1 + (0.3 * (at - from)) / (to - from)
    const share = Math.min(1, (to - at) / HOUR)
    weights.push((sum += hour * weekday * payday * growth * share))
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
 * A world under construction whose time the caller sets, so that a past can be generated by the normal rules. The caller also
 * performs later steps, so the world has no pending jobs.
 */
export class Scratch {
  readonly #world: WorldTables
  readonly #settings: Settings
  readonly random: Random

  constructor(rows: WorldRows, settings: Settings, random: Random) {
    this.#world = worldOf(rows)
    this.#settings = settings
    this.random = random
  }

  get bytes(): number {
    return this.#world.bytes
  }

  /** Runs a transaction at the given time. */
  change<T>(at: number, work: (tx: Tx) => T): T {
    const rows = new WorldChange(this.#world)
    try {
      const done = work({ rows, now: at, random: this.random, settings: this.#settings })
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
