/** The words that rows, rules and scenarios share. */

/** The operations that move money; the last is of the API's older generation. */
export const operations = [
  'createCollection',
  'createWithdrawal',
  'createGlobalPayment',
  'topUpServiceWallet',
] as const
export type Operation = (typeof operations)[number]

/** Which forms the answers of the older, Kenya-based endpoints have. */
export const generations = ['current', 'older'] as const
export type Generation = (typeof generations)[number]

export const directions = ['payin', 'payout'] as const
export type Direction = (typeof directions)[number]

export const callbackShapes = ['flat', 'nested'] as const
export type CallbackShape = (typeof callbackShapes)[number]

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
  'lost-response',
  'reformatted',
  'second-signature',
  'upper-case-headers',
] as const
export type CallbackFault = (typeof callbackFaults)[number]

/** The methods that a callback may come by on purpose; the service's own is POST. */
export const callbackMethods = ['PUT', 'PATCH', 'DELETE', 'GET', 'HEAD'] as const
export type CallbackMethod = (typeof callbackMethods)[number]

/** The most spaces behind a callback's body, bytes. */
export const MOST_PADDING = 2_097_152

/** Values by field, objects within objects too. */
export type FieldValues = { readonly [field: string]: unknown }

/** Plans of when a callback that failed is tried again. */
export const retryProfiles = ['sandbox', 'svix', 'standard', 'adyen', 'paystack', 'none'] as const
export type RetryProfile = (typeof retryProfiles)[number]

/** What can be wrong on purpose with what statements tell of a transaction; the ledger is not. */
export const statementFaults = ['line-missing', 'other-amount', 'line-twice'] as const
export type StatementFault = (typeof statementFaults)[number]

/** What can be wrong with the answer on purpose. */
export const answerFaults = [
  'connection-reset',
  'empty-response',
  'garbage',
  'slow-body',
  'lost-response',
] as const
export type AnswerFault = (typeof answerFaults)[number]

/** What the audit and the log call whoever has the token of `/__admin` that has no name. */
export const UNNAMED_TOKEN = 'admin'
