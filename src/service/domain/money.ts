import { countries } from './countries/countries.ts'
import type { Country } from './countries/country.ts'
import { type Faults, invalid } from './errors.ts'

const byCurrency: { readonly [currency: string]: Country } = Object.fromEntries(
  countries.map((country) => [country.currency, country]),
)

export const currencies: readonly string[] = Object.keys(byCurrency)

/** Returns the units of a currency per Kenya shilling (assumed). */
export const perShilling = (currency: string) => byCurrency[currency]?.per_shilling ?? 1

/** Returns the coin of which charges are multiples, major units; 0 if none is known. */
export const coinOf = (currency: string) => byCurrency[currency]?.coin ?? 0

export const digitsOf = (currency: string) => byCurrency[currency]?.digits ?? 2

/** Reads an amount of a request into minor units; 0 if it is invalid or missing. */
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
 * Converts an amount from the wire into minor units.
 * @param field - its name in the error
 * @throws {ServiceError} if the currency cannot express the number
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

export const minorUnit = (currency: string) => 10 ** digitsOf(currency)

/** Converts minor units to the number on the wire. */
export const toMajor = (minor: number, currency: string) => minor / 10 ** digitsOf(currency)

/** Formats minor units with all decimals, such as `4.62`. */
export const formatMoney = (minor: number, currency: string) =>
  toMajor(minor, currency).toFixed(digitsOf(currency))

/** Formats minor units with grouping, such as `1,234,567.00`. */
function groupedMoney(minor: number, currency: string): string {
  const [whole = '', ...decimals] = formatMoney(minor, currency).split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.')
}

/** Formats minor units for messages, such as `KES 150,000.00`. */
export const moneyText = (minor: number, currency: string) => `${currency} ${groupedMoney(minor, currency)}`

/** Converts Kenya shillings to minor units of another currency (assumed rates). */
export const fromShillings = (shillings: number, currency: string) =>
  Math.round(shillings * perShilling(currency) * 10 ** digitsOf(currency))
