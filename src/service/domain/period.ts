import { boundedTime } from '../../lib/clock/bounds.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { countries, utcOffset } from './countries/countries.ts'
import type { Faults } from './faults.ts'

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i

/**
 * A bound of a period, milliseconds: a day begins at midnight in the Team's country. Undefined when it was left out or is at fault.
 */
export function readTime(
  faults: Faults,
  field: string,
  text: string | undefined,
  team: TeamRow,
): number | undefined {
  if (text === undefined) return undefined
  // A plus sign of an offset that was not encoded arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const day = DAY.test(time)
  const at = day || TIME.test(time) ? Date.parse(day ? `${time}T00:00:00Z` : time) : Number.NaN
  // Of the 31st of June some make the 1st of July.
  if (!Number.isNaN(at) && isInMonth(time)) return boundedTime(day ? at - utcOffset(countryOf(team)) : at)
  faults.refuse(
    field,
    text,
    'must be a day such as 2026-06-13, or a time with its offset such as 2026-06-13T12:00:00Z',
  )
  return undefined
}

function isInMonth(time: string): boolean {
  const [year, month, day] = time.slice(0, 10).split('-').map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** A Team that was made without a phone has a currency alone. */
const countryOf = ({ country, currency }: TeamRow): string =>
  country || (countries.find((each) => each.currency === currency)?.code ?? '')
