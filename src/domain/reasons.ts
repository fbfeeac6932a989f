import type { Reason } from './terms.ts'

/** What the payer's or recipient's side says of a failure: result code and text (open-points, "Callbacks"). */
export interface ReasonText {
  readonly code: number
  readonly text: string
}

export const reasons: { readonly [Name in Reason]: ReasonText } = {
  insufficient_funds: {
    code: 1,
    text: 'The balance is insufficient for the transaction.',
  },
  operator_error: { code: 17, text: 'System internal error.' },
  operator_busy: {
    code: 26,
    text: 'System busy. Traffic blocking condition is in place.',
  },
  subscriber_locked: {
    code: 1001,
    text: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
  },
  expired: { code: 1019, text: 'Transaction has expired' },
  prompt_not_sent: {
    code: 1025,
    text: 'An error occurred while sending a push request',
  },
  cancelled: { code: 1032, text: 'Request Cancelled by user.' },
  unreachable: { code: 1037, text: 'DS timeout user cannot be reached' },
  wrong_pin: { code: 2001, text: 'The initiator information is invalid.' },
  below_minimum: {
    code: 2,
    text: 'The amount is less than the minimum transaction value.',
  },
  above_maximum: {
    code: 3,
    text: 'The amount is more than the maximum transaction value.',
  },
  daily_limit: { code: 4, text: 'The amount would exceed the daily transfer limit.' },
  recipient_not_found: { code: 7, text: 'The recipient could not be found.' },
  recipient_limit: {
    code: 8,
    text: 'The amount would exceed the maximum balance of the recipient.',
  },
  not_registered: {
    code: 10,
    text: 'The recipient is not a registered mobile-money user.',
  },
  duplicate: { code: 15, text: 'A duplicate of this transaction was detected.' },
}
