/** The words that rows, rules and scenarios share. */

/** The three operations that move money. */
export type Operation = 'createCollection' | 'createWithdrawal' | 'createGlobalPayment'

/** Named reasons of a failed transaction (open-points, "Callbacks"). */
export type Reason =
  | 'insufficient_funds'
  | 'operator_error'
  | 'operator_busy'
  | 'subscriber_locked'
  | 'expired'
  | 'prompt_not_sent'
  | 'cancelled'
  | 'unreachable'
  | 'wrong_pin'
  | 'below_minimum'
  | 'above_maximum'
  | 'daily_limit'
  | 'recipient_not_found'
  | 'recipient_limit'
  | 'not_registered'
  | 'duplicate'
