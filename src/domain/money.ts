import { countries } from './countries/countries.ts'
import type { Country } from './countries/country.ts'
import { invalid } from './errors.ts'

const byCurrency: { readonly [currency: string]: Country } = Object.fromEntries(
  countries.map((country) => [country.currency, country]),
)

/** The currencies of the countries served. */
export const currencies: readonly string[] = Object.keys(byCurrency)

const digitsOf = (currency: string) => byCurrency[currency]?.digits ?? 2

/**
 * Reads an amount from the wire into minor units.
 * @param field names the field in the refusal
 * @throws ServiceError when it is not a number the currency can express
 */
export function toMinor(amount: number, currency: string, field = 'amount'): number {
  const places = digitsOf(currency)
  const minor = Math.round(amount * 10 ** places)
  if (!Number.isSafeInteger(minor))
    throw invalid(
      `${field} ${amount} is out of range: at most ${Math.floor(Number.MAX_SAFE_INTEGER / 10 ** places)}`,
    )
  if (minor / 10 ** places !== amount) {
    const most = places === 0 ? 'a whole number' : `at most ${places} decimals`
    throw invalid(`${field} ${amount} has too many decimals: ${currency} takes ${most}`)
  }
  return minor
}

/** Minor units as the number that goes on the wire. */
export const toMajor = (minor: number, currency: string) => minor / 10 ** digitsOf(currency)

/** Minor units as text with all decimals, e.g. `4.62`. */
export const formatMoney = (minor: number, currency: string) =>
  toMajor(minor, currency).toFixed(digitsOf(currency))

/** What an amount given in Kenya shillings is worth in another currency, in its minor units (rates: assumed). */
export const fromShillings = (shillings: number, currency: string) =>
  Math.round(shillings * (byCurrency[currency]?.per_shilling ?? 1) * 10 ** digitsOf(currency))
