/** The payment rails. To add one, add a row here and a value of `transaction_channel` in the description. */

import type { Direction } from './terms.ts'

interface RailFacts {
  /** The name on payment pages. */
  readonly name: string
  /** How the payer confirms: at a phone prompt, with a card on the hosted page, or at the bank. */
  readonly payer: 'phone' | 'card' | 'bank'
  /** The form of `account_number`: a mobile number, a bank account, or either. */
  readonly party: 'phone' | 'account' | 'either'
  /** Who issues the receipts, whose forms differ. */
  readonly receipts: 'operator' | 'bank'
  readonly payouts_allowed: boolean
  /**
   * Medians of `realistic`, milliseconds (assumed): a payer needs time to find the phone and enter a PIN, within the
   * minute of a prompt; mobile money arrives in seconds; an instant bank transfer takes less than a minute.
   */
  readonly settles_after: { readonly [D in Direction]: number }
  /** Whether payments require `customer.dob` (specification 4.5). */
  readonly asks_birthday: boolean
}

/** All rails, in the order of lists and messages. */
export const rails = {
  momo: {
    name: 'Mobile money',
    payer: 'phone',
    party: 'phone',
    receipts: 'operator',
    payouts_allowed: true,
    asks_birthday: false,
    settles_after: { payin: 12_000, payout: 5_000 },
  },
  bank: {
    name: 'Bank account',
    payer: 'bank',
    party: 'account',
    receipts: 'bank',
    payouts_allowed: true,
    asks_birthday: true,
    settles_after: { payin: 25_000, payout: 30_000 },
  },
  // Collecting only is assumed.
  card: {
    name: 'Card',
    payer: 'card',
    party: 'either',
    receipts: 'bank',
    payouts_allowed: false,
    asks_birthday: false,
    settles_after: { payin: 8_000, payout: 8_000 },
  },
} as const satisfies { readonly [rail: string]: RailFacts }

export type Rail = keyof typeof rails

export const railNames = Object.keys(rails) as readonly Rail[]

export const isRail = (text: string): text is Rail => Object.hasOwn(rails, text)

/** Returns an object with a value for each rail. */
export const byRail = <Value>(valueOf: (rail: Rail) => Value) =>
  Object.fromEntries(railNames.map((rail) => [rail, valueOf(rail)])) as { readonly [R in Rail]: Value }

/** Whether the payer or recipient is a phone. */
export const isOfPhone = ({ rail }: { readonly rail: Rail }): boolean => rails[rail].payer === 'phone'
