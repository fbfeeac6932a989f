/** The words that rows, rules and scenarios share. */

/** The three operations that move money. */
export type Operation = 'createCollection' | 'createWithdrawal' | 'createGlobalPayment'

/** Named reasons of a failed transaction (open-points, "Callbacks"). */
export const reasonNames = [
  'insufficient_funds',
  'operator_error',
  'operator_busy',
  'subscriber_locked',
  'expired',
  'prompt_not_sent',
  'cancelled',
  'unreachable',
  'wrong_pin',
  'below_minimum',
  'above_maximum',
  'daily_limit',
  'recipient_not_found',
  'recipient_limit',
  'not_registered',
  'duplicate',
] as const
export type Reason = (typeof reasonNames)[number]

export type Direction = 'payin' | 'payout'

/** Reasons that only one direction knows; the others can end both. */
const oneWay: { readonly [Name in Reason]?: Direction } = {
  prompt_not_sent: 'payin',
  cancelled: 'payin',
  unreachable: 'payin',
  below_minimum: 'payout',
  above_maximum: 'payout',
  daily_limit: 'payout',
  recipient_not_found: 'payout',
  recipient_limit: 'payout',
  not_registered: 'payout',
  duplicate: 'payout',
}

/** The reasons that can end a transaction of this direction. */
export const reasonsOf = (direction: Direction): readonly Reason[] =>
  reasonNames.filter((reason) => (oneWay[reason] ?? direction) === direction)

export type CallbackShape = 'flat' | 'nested'

/** What can be wrong with a callback on purpose, beside its timing and number. */
export const callbackFaults = [
  'tampered',
  'wrong-secret',
  'stale',
  'future',
  'unsigned',
  'malformed-signature',
  'truncated-body',
  'slow',
] as const
export type CallbackFault = (typeof callbackFaults)[number]

/** Plans of when a callback that failed is tried again. */
export const retryProfiles = ['sandbox', 'svix', 'standard', 'adyen', 'paystack', 'none'] as const
export type RetryProfile = (typeof retryProfiles)[number]

/** How a callback is retried, where that differs from the world's settings. */
export interface RetryPlan {
  readonly profile?: RetryProfile | undefined
  /** Divides every pause; greater than 0. */
  readonly speed?: number | undefined
}

/** When and how callbacks of a transaction leave, where it differs from the default. Durations in milliseconds. */
export interface CallbackPlan {
  /** From the final state to the callback. */
  readonly after?: number | undefined
  /** How often the same callback is sent, with the same id. */
  readonly times?: number | undefined
  /** Before the answer to the request leaves. */
  readonly first?: boolean | undefined
  /** It is never sent. */
  readonly drop?: boolean | undefined
  /** Those of successive results arrive newest first: each waits for the ones that `later` plans after it. */
  readonly out_of_order?: boolean | undefined
  readonly shape?: CallbackShape | undefined
  readonly fault?: CallbackFault | undefined
  readonly retry?: RetryPlan | undefined
}

/** What will become of an accepted transaction. Durations in milliseconds on the world's clock. */
export interface Plan {
  readonly settle?:
    | {
        readonly status?: 'success' | 'failed' | undefined
        readonly reason?: Reason | undefined
        readonly after?: number | undefined
        /** Final at this status look-up instead of after a time. */
        readonly after_polls?: number | undefined
        readonly never?: boolean | undefined
      }
    | undefined
  /** What happens after it is final, each counted from there. */
  readonly later?: readonly { readonly after: number; readonly status: 'success' | 'reversed' }[] | undefined
  readonly callback?: CallbackPlan | undefined
}

/** What a Team of one KYC tier may do; amounts in Kenya shillings, or their worth in the payment's currency. */
export interface TierLimits {
  readonly collects_into_wallet: boolean
  readonly pays_out: boolean
  readonly per_transaction: number
  readonly per_day: number
}

/** Every way the service refuses, and the HTTP status of each (specification 7; open-points, "General"). */
export const errorStatus = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  resource_not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  resource_exhausted: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  deadline_exceeded: 504,
} as const

export type ErrorCode = keyof typeof errorStatus
