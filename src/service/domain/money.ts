import { countries } from './countries/countries.ts'
import type { Country } from './countries/country.ts'
import { Faults, invalid, noneLeft } from './errors.ts'
import type { ConvertCurrencyBody } from '../../generated/extensions/requests.ts'

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
const rateBetween = (from: string, to: string): number =>
  Number(((byCurrency[to]?.per_shilling ?? 1) / (byCurrency[from]?.per_shilling ?? 1)).toPrecision(10))

/** What an amount of one currency is worth in another; both in their minor units. */
const worthIn = (minor: number, from: string, to: string): number =>
  Math.round(toMajor(minor, from) * rateBetween(from, to) * 10 ** digitsOf(to))

/** What a transaction costs, in Kenya shillings: the first band whose `up_to` the amount does not exceed. */
export interface CostBand {
  readonly up_to: number
  readonly cost: number
}

/** Open-points, "Legacy collection and withdrawal" (figures assumed). */
export const defaultCosts: readonly CostBand[] = [
  { up_to: 49, cost: 1 },
  { up_to: 499, cost: 4.62 },
  { up_to: 999, cost: 8 },
  { up_to: 4_999, cost: 15 },
  { up_to: 9_999, cost: 25 },
  { up_to: Infinity, cost: 40 },
]

/** The cost of moving `amount`; both in minor units of the currency. */
export function costOf(bands: readonly CostBand[], amount: number, currency: string): number {
  const band = bands.find((each) => amount <= fromShillings(each.up_to, currency)) ?? bands.at(-1)
  return band ? fromShillings(band.cost, currency) : 0
}

/**
 * A collection must bring in more than it costs (specification 8).
 * @throws ServiceError with the observed message and the real cost
 */
export function requireCovers(amount: number, cost: number, currency: string): void {
  if (amount <= cost) {
    const figure = formatMoney(cost, currency)
    throw invalid(`the transaction amount is insufficient as it wont cater for cost: (${figure})`)
  }
}

/**
 * An amount in another currency, and how much of that one of the first buys; in major units.
 * @throws ServiceError 400 for a currency of no country served, and an amount that its currency does not have
 */
export function convert({ from, to, amount, ...rest }: ConvertCurrencyBody) {
  noneLeft(rest)
  const faults = new Faults()
  if (!currencies.includes(from)) faults.refuseWord('from', from, currencies)
  if (!currencies.includes(to)) faults.refuseWord('to', to, currencies)
  const minor = faults.any ? 0 : readMoney(faults, 'amount', amount, from)
  faults.throwAny()
  return {
    from,
    to,
    amount,
    rate: rateBetween(from, to),
    convertedAmount: toMajor(worthIn(minor, from, to), to),
  }
}
