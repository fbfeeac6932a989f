/** When banks work: Monday to Friday from nine, on the clocks of their country; holidays are not known here (assumed). */
import { utcOffset } from './countries/countries.ts'

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
