import { invalid } from './errors.ts'

/** Digits after the decimal point, ISO 4217. */
const digits = { KES: 2, TZS: 2, ZMW: 2, BWP: 2, NGN: 2, UGX: 0, GHS: 2, RWF: 0 } as const

export type Currency = keyof typeof digits

/** The currencies of the countries served. */
export const currencies: readonly string[] = Object.keys(digits)

const digitsOf = (currency: string) => digits[currency as Currency] ?? 2

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

/** Whole units of Kenya shillings per unit of a currency's worth: how many of the currency one KES buys. */
const perShilling: Record<Currency, number> = {
  KES: 1,
  TZS: 19,
  ZMW: 0.18,
  BWP: 0.1,
  NGN: 11,
  UGX: 28,
  GHS: 0.085,
  RWF: 11,
}

/** What an amount given in Kenya shillings is worth in another currency, in its minor units (rates: assumed). */
export const fromShillings = (shillings: number, currency: string) =>
  Math.round(shillings * (perShilling[currency as Currency] ?? 1) * 10 ** digitsOf(currency))
