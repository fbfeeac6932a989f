/** The operations that move money; the last belongs to the previous API generation. */
export const operations = [
  'createCollection',
  'createWithdrawal',
  'createGlobalPayment',
  'topUpServiceWallet',
] as const
export type Operation = (typeof operations)[number]

/** Response formats of the legacy, Kenya-based endpoints. */
export const generations = ['current', 'previous'] as const
export type Generation = (typeof generations)[number]

export const directions = ['payin', 'payout'] as const
export type Direction = (typeof directions)[number]

export const callbackShapes = ['flat', 'nested'] as const
export type CallbackShape = (typeof callbackShapes)[number]

/** Intentional errors of a callback, besides its timing and number. */
export const callbackFaults = [
  'tampered',
  'wrong-secret',
  'stale',
  'future',
  'unsigned',
  'malformed-signature',
  'truncated-body',
  'slow',
  'lost-response',
  'reformatted',
  'second-signature',
  'upper-case-headers',
] as const
export type CallbackFault = (typeof callbackFaults)[number]

/** Methods that a scenario may send a callback with; the service uses POST. */
export const callbackMethods = ['PUT', 'PATCH', 'DELETE', 'GET', 'HEAD'] as const
export type CallbackMethod = (typeof callbackMethods)[number]

/** Maximum number of spaces after a callback's body, bytes. */
export const MOST_PADDING = 2_097_152

/** Values by field, also nested. */
export type FieldValues = { readonly [field: string]: unknown }

/** Retry schedules of failed callbacks. */
export const retryProfiles = ['sandbox', 'svix', 'standard', 'adyen', 'paystack', 'none'] as const
export type RetryProfile = (typeof retryProfiles)[number]

/** Intentional errors of statements; the ledger stays correct. */
export const statementFaults = ['line-missing', 'other-amount', 'line-twice'] as const

/** Intentional errors of responses. */
export const answerFaults = [
  'connection-reset',
  'empty-response',
  'garbage',
  'slow-body',
  'lost-response',
] as const
export type AnswerFault = (typeof answerFaults)[number]

/** The name of an unnamed `/__admin` token in the audit and the log. */
export const UNNAMED_TOKEN = 'admin'
