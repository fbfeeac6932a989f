/** When banks work: Monday to Friday from nine, on the clocks of their country; holidays are not known here (assumed). */
import { utcOffset } from './countries/countries.ts'
import type { Random } from '../../lib/random/random.ts'
import { rails } from '../vocabulary/rails.ts'
import type { SettleSpread } from '../vocabulary/settle-after.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'

const DAY = 86_400_000
const OPENS = 9 * 3_600_000
/** 1970 began on a Thursday; Monday is 0. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7
const FIRST_OF_WEEKEND = 5

/** A time, or the opening of the Monday after where it is on a weekend. @param at milliseconds */
export function onBankingDay(at: number, country: string): number {
  const offset = utcOffset(country)
  const day = Math.floor((at + offset) / DAY)
  const weekday = weekdayOf(day)
  return weekday < FIRST_OF_WEEKEND ? at : (day + 7 - weekday) * DAY + OPENS - offset
}

/** When a transaction settles whose time nobody fixed: drawn by the world's seed, the same for the same transaction. */

/** The shape of `lognormal`: two thirds of all are between 0.6 and 1.65 times the median. */
const SIGMA = 0.5
/** No draw is further out: nothing takes less than a fifth of the median or more than four and a half times it. */
const FURTHEST = 3

/** What is drawn for a transaction, milliseconds. */
export function drawnTime(
  spread: SettleSpread,
  { id, rail, direction }: Pick<TransactionRow, 'id' | 'rail' | 'direction'>,
  random: Random,
): number {
  const drawn = random.fraction('settle', id)
  if (spread.kind === 'uniform') return Math.round(spread.least + drawn * (spread.most - spread.least))
  const median = spread.kind === 'lognormal' ? spread.median : rails[rail].settles_after[direction]
  const angle = 2 * Math.PI * random.fraction('settle angle', id)
  // Box and Muller's way from two even draws to a normal one.
  const normal = Math.sqrt(-2 * Math.log(1 - drawn)) * Math.cos(angle)
  return Math.round(median * Math.exp(SIGMA * Math.max(-FURTHEST, Math.min(FURTHEST, normal))))
}
