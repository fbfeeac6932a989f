import type { Country } from '../../service/domain/countries/country.ts'
import { endingOf } from '../../scenarios/magic.ts'

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
