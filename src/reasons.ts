/** Why a transaction fails: the named reasons, what the operator says of each, and which direction knows it. */
import type { Direction } from './terms.ts'

interface ReasonFacts {
  /** The operator's result code and text (open-points, "Callbacks"). */
  readonly code: number
  readonly text: string
  /** The only direction that it can end; without one it can end both. */
  readonly direction?: Direction
}

/** Every reason; the order is that of lists and messages. */
export const reasons = {
  insufficient_funds: { code: 1, text: 'The balance is insufficient for the transaction.' },
  operator_error: { code: 17, text: 'System internal error.' },
  operator_busy: { code: 26, text: 'System busy. Traffic blocking condition is in place.' },
  subscriber_locked: {
    code: 1001,
    text: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
  },
  expired: { code: 1019, text: 'Transaction has expired' },
  prompt_not_sent: { code: 1025, text: 'An error occurred while sending a push request', direction: 'payin' },
  cancelled: { code: 1032, text: 'Request Cancelled by user.', direction: 'payin' },
  unreachable: { code: 1037, text: 'DS timeout user cannot be reached', direction: 'payin' },
  wrong_pin: { code: 2001, text: 'The initiator information is invalid.' },
  below_minimum: {
    code: 2,
    text: 'The amount is less than the minimum transaction value.',
    direction: 'payout',
  },
  above_maximum: {
    code: 3,
    text: 'The amount is more than the maximum transaction value.',
    direction: 'payout',
  },
  daily_limit: { code: 4, text: 'The amount would exceed the daily transfer limit.', direction: 'payout' },
  recipient_not_found: { code: 7, text: 'The recipient could not be found.', direction: 'payout' },
  recipient_limit: {
    code: 8,
    text: 'The amount would exceed the maximum balance of the recipient.',
    direction: 'payout',
  },
  not_registered: {
    code: 10,
    text: 'The recipient is not a registered mobile-money user.',
    direction: 'payout',
  },
  duplicate: { code: 15, text: 'A duplicate of this transaction was detected.', direction: 'payout' },
} as const satisfies { readonly [name: string]: ReasonFacts }

export type Reason = keyof typeof reasons

export const reasonNames = Object.keys(reasons) as readonly Reason[]

/** The reasons that can end a transaction of this direction. */
export const reasonsOf = (direction: Direction): readonly Reason[] =>
  reasonNames.filter((name) => {
    const { direction: only = direction }: ReasonFacts = reasons[name]
    return only === direction
  })
