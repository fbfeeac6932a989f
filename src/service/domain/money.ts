import { countries } from './countries/countries.ts'
import type { Country } from './countries/country.ts'
import { invalid } from './errors.ts'
import type { Faults } from './faults.ts'

const byCurrency: { readonly [currency: string]: Country } = Object.fromEntries(
  countries.map((country) => [country.currency, country]),
)

/** The currencies of the countries served. */
export const currencies: readonly string[] = Object.keys(byCurrency)

const digitsOf = (currency: string) => byCurrency[currency]?.digits ?? 2

/**
 * Reads an amount of a request into minor units; one that is at fault is 0.
 * @param amount undefined where none is sent
 */
export function readMoney(
  faults: Faults,
  field: string,
  amount: number | undefined,
  currency: string,
): number {
  if (amount === undefined) return 0
  const minor = minorOf(amount, currency)
  if (isMoney(minor, amount, currency)) return minor
  faults.refuse(field, amount, moneyExpected(minor, currency))
  return 0
}

/**
 * Reads an amount from the wire into minor units.
 * @param field names the field in the refusal
 * @throws ServiceError when it is not a number the currency can express
 */
export function toMinor(amount: number, currency: string, field = 'amount'): number {
  const minor = minorOf(amount, currency)
  if (isMoney(minor, amount, currency)) return minor
  throw invalid(`${field} ${moneyExpected(minor, currency)}, got ${amount}`)
}

const minorOf = (amount: number, currency: string) => Math.round(amount * 10 ** digitsOf(currency))

const isMoney = (minor: number, amount: number, currency: string): boolean =>
  Number.isSafeInteger(minor) && toMajor(minor, currency) === amount

function moneyExpected(minor: number, currency: string): string {
  const places = digitsOf(currency)
  if (!Number.isSafeInteger(minor)) {
    const most = Math.floor(Number.MAX_SAFE_INTEGER / 10 ** places) * 10 ** places
    return minor < 0
      ? `must be at least ${moneyText(-most, currency)}`
      : `must be at most ${moneyText(most, currency)}`
  }
  return places === 0
    ? `must be a whole number of ${currency}`
    : `must have at most ${places} decimals in ${currency}`
}

/** How many minor units make one of the currency's own. */
export const minorUnit = (currency: string) => 10 ** digitsOf(currency)

/** Minor units as the number that goes on the wire. */
export const toMajor = (minor: number, currency: string) => minor / 10 ** digitsOf(currency)

/** Minor units as text with all decimals, e.g. `4.62`. */
export const formatMoney = (minor: number, currency: string) =>
  toMajor(minor, currency).toFixed(digitsOf(currency))

/** The same for people, e.g. `1,234,567.00`. */
export function groupedMoney(minor: number, currency: string): string {
  const [whole = '', ...decimals] = formatMoney(minor, currency).split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.')
}

/** The same as messages name it, e.g. `KES 150,000.00`. */
export const moneyText = (minor: number, currency: string) => `${currency} ${groupedMoney(minor, currency)}`

/** What an amount given in Kenya shillings is worth in another currency, in its minor units (rates: assumed). */
export const fromShillings = (shillings: number, currency: string) =>
  Math.round(shillings * (byCurrency[currency]?.per_shilling ?? 1) * 10 ** digitsOf(currency))

/** How many of one currency one of another buys, by what a shilling buys of each (assumed). */
export const rateBetween = (from: string, to: string): number =>
  Number(((byCurrency[to]?.per_shilling ?? 1) / (byCurrency[from]?.per_shilling ?? 1)).toPrecision(10))

/** What an amount of one currency is worth in another; both in their minor units. */
export const worthIn = (minor: number, from: string, to: string): number =>
  Math.round(toMajor(minor, from) * rateBetween(from, to) * 10 ** digitsOf(to))
