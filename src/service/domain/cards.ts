/**
 * The test cards of the payment page. The service documents none: the numbers are those of other payment services for
 * the same purpose, and their behaviour is assumed.
 */
import type { TypedCard } from '../../generated/control/types.ts'
import type { Reason } from '../vocabulary/rails.ts'
import { defined } from '../../lib/objects.ts'

const brands = ['Visa', 'Mastercard', 'American Express', 'Verve', 'Card'] as const
type Brand = (typeof brands)[number]

// Declared before the cards, which use it.
export const prefixes: readonly (readonly [RegExp, Brand])[] = [
  [/^4/, 'Visa'],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, 'Mastercard'],
  [/^3[47]/, 'American Express'],
  [/^(?:506[01]|507[89]|6500)/, 'Verve'],
]

export interface TestCard {
  /** Digits only. */
  readonly number: string
  readonly brand: Brand
  /** Why the bank declines the card; null if it does not. */
  readonly reason: Reason | null
  /** Whether the bank requires 3-D Secure. */
  readonly three_d_secure: boolean
  readonly title: string
}

const card = (
  number: string,
  title: string,
  reason: Reason | null = null,
  three_d_secure = false,
): TestCard => ({ number, brand: brandOf(number), reason, three_d_secure, title })

/** All test cards, in the order of lists. */
export const testCards: readonly TestCard[] = [
  card('4242424242424242', 'Approved'),
  card('5555555555554444', 'Approved'),
  card('378282246310005', 'Approved; its CVC has four digits'),
  card('5060666666666666666', 'Approved; its number has 19 digits'),
  card('4000002500003155', '3-D Secure, then approved', null, true),
  card('4000008260003178', '3-D Secure, then not enough money', 'insufficient_funds', true),
  card('4000000000000002', 'Declined, no reason given', 'card_declined'),
  card('4000000000009995', 'Declined: not enough money', 'insufficient_funds'),
  card('4000000000000069', 'Declined: the card has expired', 'card_expired'),
  card('4000000000000127', 'Declined: the CVC is incorrect', 'incorrect_cvc'),
  card('4000000000009987', 'Declined: reported lost', 'card_lost'),
  card('4000000000009979', 'Declined: reported stolen', 'card_stolen'),
  card('4100000000000019', 'Declined: fraud suspected', 'fraud_suspected'),
  card('4000000000006975', 'Declined: above the limit of the card', 'card_limit'),
  card('4000000000000911', "Declined: the card's bank cannot be reached", 'issuer_unavailable'),
]

/** Returns a test card; undefined for any other number, which is approved. */
export const testCardOf = (number: string): TestCard | undefined =>
  testCards.find((each) => each.number === number)

export function brandOf(number: string): Brand {
  return prefixes.find(([begins]) => begins.test(number))?.[1] ?? 'Card'
}

/** Returns the number of digits of the card's security code. */
export const cvcDigits = (number: string): 3 | 4 => (brandOf(number) === 'American Express' ? 4 : 3)

export type CardField = keyof TypedCard

/** A card that can be charged. It exists only during the request. */
export interface Card {
  readonly number: string
  readonly brand: Brand
  readonly last4: string
}

/** Errors of the fields, without their names: `is required`. */
export type CardFaults = { readonly [Field in CardField]?: string }

const LONGEST_NAME = 255

/**
 * Reads a card: a number with optional spaces or hyphens, and an expiry such as `12/30`, `12/2030` or `1230`.
 * @param now - the world's time, milliseconds
 */
export function readCard(
  typed: TypedCard,
  now: number,
): { readonly card: Card; readonly faults: CardFaults } {
  const number = typed.number.replace(/[\s-]/g, '')
  const wrong = faultOfNumber(number)
  const isLong = (typed.name ?? '').length > LONGEST_NAME
  const faults: CardFaults = defined({
    number: wrong,
    expiry: faultOfExpiry(typed.expiry.trim(), now),
    cvc: faultOfCvc(typed.cvc.trim(), wrong === undefined ? number : undefined),
    name: isLong ? `must have at most ${LONGEST_NAME} characters` : undefined,
  })
  return { card: { number, brand: brandOf(number), last4: number.slice(-4) }, faults }
}

function faultOfNumber(number: string): string | undefined {
  if (number === '') return 'is required'
  if (!/^\d+$/.test(number)) return 'must be digits, in groups if you like'
  if (number.length < 12 || number.length > 19) return `must have 12 to 19 digits, and has ${number.length}`
  return isChecked(number) ? undefined : 'has a wrong check digit: one of its digits is mistyped'
}

/** Whether the check digit is correct (ISO/IEC 7812, Luhn). */
export function isChecked(number: string): boolean {
  let sum = 0
  for (let at = 0; at < number.length; at++) {
    const digit = Number(number[number.length - 1 - at])
    const doubled = at % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function faultOfExpiry(text: string, now: number): string | undefined {
  if (text === '') return 'is required'
  const [, month, year] = /^(\d{1,2})\s*[/.-]?\s*(\d{4}|\d{2})$/.exec(text) ?? []
  if (month === undefined || Number(month) < 1 || Number(month) > 12)
    return 'must be a month and a year, such as 12/30'
  const full = year!.length === 2 ? 2000 + Number(year) : Number(year)
  // Cards are valid until the end of the month.
  if (Date.UTC(full, Number(month)) > now) return undefined
  const today = new Date(now)
  const first = String(today.getUTCMonth() + 1).padStart(2, '0')
  return `is in the past: it must be ${first}/${String(today.getUTCFullYear()).slice(-2)} or later`
}

/** @param number - undefined if it is invalid, so that the length of the code is unknown */
function faultOfCvc(cvc: string, number: string | undefined): string | undefined {
  if (cvc === '') return 'is required'
  if (number === undefined) return /^\d{3,4}$/.test(cvc) ? undefined : 'must be 3 or 4 digits'
  const digits = cvcDigits(number)
  return /^\d+$/.test(cvc) && cvc.length === digits ? undefined : `must be ${digits} digits`
}
