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

/** Reasons of failures, with the operator's message and the directions to which they apply. */

/** `observed` in public documentation or client code, or `assumed`. */
export type Source = 'observed' | 'assumed'

/** A result code and its text, each with its source. */
export interface ResultFacts {
  readonly code: number
  readonly text: string
  readonly source: { readonly code: Source; readonly text: Source }
}

interface ReasonFacts extends ResultFacts {
  /** The only direction it applies to; both if omitted. */
  readonly direction?: Direction
  /** The only rails it applies to; all if omitted. */
  readonly rails?: readonly Rail[]
}

/** Public result codes of M-Pesa with their texts. */
const seen = { code: 'observed', text: 'observed' } as const
/** A public result code with a text of the sandbox. */
const inOurWords = { code: 'observed', text: 'assumed' } as const
const madeUp = { code: 'assumed', text: 'assumed' } as const
/** A card bank's reason under its ISO 8583 number; that the service forwards it is assumed. */
const ofCard = { source: madeUp, direction: 'payin', rails: ['card'] } as const
const seenPayIn = { source: seen, direction: 'payin' } as const
const payout = { source: inOurWords, direction: 'payout' } as const
const madeUpPayout = { source: madeUp, direction: 'payout' } as const
const ofPhone = { rails: ['momo'] } as const
const ofBank = { rails: ['bank'] } as const

export const reasons = {
  insufficient_funds: { code: 1, text: 'The balance is insufficient for the transaction.', source: seen },
  operator_error: { code: 17, text: 'System internal error.', source: inOurWords },
  rule_limited: {
    code: 17,
    text: 'Rule limited: a payment of the same amount was made less than two minutes ago.',
    source: inOurWords,
    ...ofPhone,
  },
  daily_limit: {
    code: 4,
    text: 'The amount would exceed the daily transfer limit.',
    source: inOurWords,
    rails: ['momo', 'bank'],
  },
  operator_busy: { code: 26, text: 'System busy. Traffic blocking condition is in place.', source: seen },
  subscriber_locked: {
    code: 1001,
    text: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
    source: seen,
    ...ofPhone,
  },
  expired: { code: 1019, text: 'Transaction has expired', source: seen },
  prompt_not_sent: {
    code: 1025,
    text: 'An error occurred while sending a push request',
    ...seenPayIn,
    ...ofPhone,
  },
  cancelled: { code: 1032, text: 'Request Cancelled by user.', ...seenPayIn },
  unreachable: { code: 1037, text: 'DS timeout user cannot be reached', ...seenPayIn, ...ofPhone },
  card_declined: { code: 5, text: 'The bank of the card does not honour it.', ...ofCard },
  card_lost: { code: 41, text: 'The card was reported lost.', ...ofCard },
  card_stolen: { code: 43, text: 'The card was reported stolen.', ...ofCard },
  card_expired: { code: 54, text: 'The card has expired.', ...ofCard },
  fraud_suspected: { code: 59, text: 'Fraud is suspected.', ...ofCard },
  card_limit: { code: 61, text: 'The amount is more than the limit of the card.', ...ofCard },
  not_authenticated: { code: 63, text: 'The payer did not pass 3-D Secure.', ...ofCard },
  incorrect_cvc: { code: 82, text: 'The security code of the card is incorrect.', ...ofCard },
  issuer_unavailable: { code: 91, text: 'The bank of the card cannot be reached.', ...ofCard },
  wrong_pin: { code: 2001, text: 'The initiator information is invalid.', source: seen, ...ofPhone },
  below_minimum: { code: 2, text: 'The amount is less than the minimum transaction value.', ...payout },
  above_maximum: { code: 3, text: 'The amount is more than the maximum transaction value.', ...payout },
  recipient_not_found: { code: 7, text: 'The recipient could not be found.', ...payout },
  recipient_limit: {
    code: 8,
    text: 'The amount would exceed the maximum balance of the recipient.',
    ...payout,
    ...ofPhone,
  },
  not_registered: {
    code: 10,
    text: 'The recipient is not a registered mobile-money user.',
    ...madeUpPayout,
    ...ofPhone,
  },
  duplicate: { code: 15, text: 'A duplicate of this transaction was detected.', ...payout },
  account_not_found: {
    code: 14,
    text: 'The account of the recipient could not be found.',
    ...payout,
    ...ofBank,
  },
  account_closed: { code: 12, text: 'The account of the recipient takes no payments.', ...payout, ...ofBank },
  name_mismatch: {
    code: 33,
    text: 'The name of the recipient is not that of the account.',
    ...madeUpPayout,
    ...ofBank,
  },
} as const satisfies { readonly [name: string]: ReasonFacts }

/** Results without a reason. */
export const outcomes = {
  collected: { code: 0, text: 'The service request is processed successfully.', source: seen },
  paid_out: { code: 0, text: 'Transaction processed successfully.', source: seen },
  queued: { code: 0, text: 'The service request is queued.', source: madeUp },
  // No code of the operator is known; it must differ from success.
  reversed: { code: 32, text: 'The transaction has been reversed.', source: madeUp },
} as const satisfies { readonly [name: string]: ResultFacts }

export type Reason = keyof typeof reasons

export const reasonNames = Object.keys(reasons) as readonly Reason[]

/** @param rail - all rails if omitted */
export const reasonsOf = (direction: Direction, rail?: Rail): readonly Reason[] =>
  reasonNames.filter((name) => {
    const { direction: only = direction, rails }: ReasonFacts = reasons[name]
    return only === direction && (rail === undefined || !rails || rails.includes(rail))
  })

/**
 * The texts of MTN, Airtel and Nigeria's instant transfers (NIP), observed in their public APIs, and assumed ones of other
 * wallets. That the service forwards them is assumed. A result without an entry has the text above.
 */
export const wordings = {
  mtn: {
    collected: 'SUCCESSFUL',
    paid_out: 'SUCCESSFUL',
    insufficient_funds: 'NOT_ENOUGH_FUNDS',
    operator_error: 'INTERNAL_PROCESSING_ERROR',
    operator_busy: 'SERVICE_UNAVAILABLE',
    daily_limit: 'PAYER_LIMIT_REACHED',
    expired: 'EXPIRED',
    prompt_not_sent: 'PAYER_NOT_FOUND',
    cancelled: 'APPROVAL_REJECTED',
    unreachable: 'COULD_NOT_PERFORM_TRANSACTION',
    wrong_pin: 'PAYMENT_NOT_APPROVED',
    subscriber_locked: 'NOT_ALLOWED',
    recipient_not_found: 'PAYEE_NOT_FOUND',
    not_registered: 'PAYEE_NOT_FOUND',
    recipient_limit: 'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  },
  airtel: {
    collected: 'Transaction is successful',
    paid_out: 'Transaction is successful',
    insufficient_funds: 'Not enough balance',
    operator_error: 'Do not honor',
    daily_limit: 'Exceeds withdrawal amount limit',
    below_minimum: 'Invalid Amount',
    wrong_pin: 'Incorrect Pin',
    expired: 'Transaction Expired',
    cancelled: 'Refused',
    unreachable: 'Transaction Timed Out',
    not_registered: 'Transaction not permitted to Payee',
    recipient_not_found: 'Transaction not permitted to Payee',
  },
  nip: {
    insufficient_funds: 'No sufficient funds',
    operator_error: 'System malfunction',
    operator_busy: 'Beneficiary Bank not available',
    daily_limit: 'Transfer limit Exceeded',
    expired: 'Timeout waiting for response from destination',
    account_not_found: 'Invalid Account',
    account_closed: 'Dormant Account',
    name_mismatch: 'Account Name Mismatch',
    duplicate: 'Duplicate record',
  },
  wallet: {
    insufficient_funds: 'Insufficient balance',
    wrong_pin: 'Wrong PIN',
    cancelled: 'Cancelled by the customer',
    unreachable: 'The customer did not respond',
    expired: 'The request has expired',
    prompt_not_sent: 'The request could not be sent to the customer',
    subscriber_locked: 'The customer has another pending request',
  },
} as const satisfies {
  readonly [operator: string]: { readonly [R in Reason | keyof typeof outcomes]?: string }
}

export type Wording = keyof typeof wordings
