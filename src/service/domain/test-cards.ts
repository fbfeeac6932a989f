/**
 * The cards that the page of a pay-in knows. The service documents none: the numbers are those that other payment services publish
 * for the same ends, and what each does is assumed.
 */
import type { Reason } from '../vocabulary/reasons.ts'

export const brands = ['Visa', 'Mastercard', 'American Express', 'Verve', 'Card'] as const
export type Brand = (typeof brands)[number]

// Before the cards, which are made with it.
const prefixes: readonly (readonly [RegExp, Brand])[] = [
  [/^4/, 'Visa'],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, 'Mastercard'],
  [/^3[47]/, 'American Express'],
  [/^(?:506[01]|507[89]|6500)/, 'Verve'],
]

export interface TestCard {
  /** Digits alone. */
  readonly number: string
  readonly brand: Brand
  /** Why its bank declines it; null when it does not. */
  readonly reason: Reason | null
  /** Whether its bank asks the payer first. */
  readonly three_d_secure: boolean
  /** What it is for, in a few words. */
  readonly title: string
}

const card = (
  number: string,
  title: string,
  reason: Reason | null = null,
  three_d_secure = false,
): TestCard => ({ number, brand: brandOf(number), reason, three_d_secure, title })

/** Every card; the order is that of lists. */
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

/** The test card with this number; undefined for any other, which is approved. */
export const testCardOf = (number: string): TestCard | undefined =>
  testCards.find((each) => each.number === number)

/** Whose card it is, by how its number begins. */
export function brandOf(number: string): Brand {
  return prefixes.find(([begins]) => begins.test(number))?.[1] ?? 'Card'
}

/** How many digits the security code of a card has. */
export const cvcDigits = (number: string): 3 | 4 => (brandOf(number) === 'American Express' ? 4 : 3)
