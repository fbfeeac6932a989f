/** The words that rows, rules and scenarios share: what a scenario plans and what was decided of a request. */
import type { Reason } from './reasons.ts'

/** The operations that move money; the last is of the API's older generation. */
export type Operation = 'createCollection' | 'createWithdrawal' | 'createGlobalPayment' | 'topUpServiceWallet'

/** Which forms the answers of the older, Kenya-based endpoints have. */
export const generations = ['current', 'older'] as const
export type Generation = (typeof generations)[number]

export type Direction = 'payin' | 'payout'

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
  /** All of them at one moment, not one after another. */
  readonly together?: boolean | undefined
  /** Before the answer to the request leaves. */
  readonly first?: boolean | undefined
  /** It is never sent. */
  readonly drop?: boolean | undefined
  /** Those of successive results arrive newest first: each waits for the ones that `later` plans after it. */
  readonly out_of_order?: boolean | undefined
  readonly shape?: CallbackShape | undefined
  readonly fault?: CallbackFault | undefined
  /** Fields of the body that are other than they were, or more than there are; validly signed. */
  readonly set?: FieldValues | undefined
  readonly method?: CallbackMethod | undefined
  readonly content_type?: string | undefined
  /** Spaces behind the body, bytes. */
  readonly padding?: number | undefined
  readonly retry?: RetryPlan | undefined
}

/** What look-ups tell of a transaction that is final, where that is not the truth. */
export interface LookUpPlan {
  readonly status?: 'queued' | 'success' | 'failed' | 'reversed' | undefined
  readonly reason?: Reason | undefined
  readonly set?: FieldValues | undefined
}

/** What happens to a transaction after it is final. */
export interface Later {
  readonly after: number
  readonly status: 'success' | 'reversed'
  /** On the first banking day from then on. */
  readonly banking_day?: boolean | undefined
}
/** What can be wrong on purpose with what statements tell of a transaction; the ledger is not. */
export const statementFaults = ['line-missing', 'other-amount', 'line-twice'] as const
export type StatementFault = (typeof statementFaults)[number]

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
  readonly later?: readonly Later[] | undefined
  readonly callback?: CallbackPlan | undefined
  readonly look_up?: LookUpPlan | undefined
  readonly statement?: StatementFault | undefined
}

/** What can be wrong with the answer on purpose. */
export const answerFaults = [
  'connection-reset',
  'empty-response',
  'garbage',
  'slow-body',
  'lost-response',
] as const
export type AnswerFault = (typeof answerFaults)[number]

export interface ReviewStep {
  readonly status: 'in_review' | 'approved' | 'rejected'
  /** From the submission. */
  readonly after: number
  readonly reasons: readonly string[]
}

/** What will happen: to the answer, and to what was asked for. Whatever is left out is as without a scenario. */
export interface Outcome {
  readonly respond?:
    | {
        readonly status: number
        readonly body: unknown
        /** Of the header `Retry-After`, seconds. */
        readonly retry_after?: number | undefined
      }
    | undefined
  readonly delay?: number | undefined
  readonly fault?: AnswerFault | undefined
  /** Fields that the real answer has otherwise, or has besides. */
  readonly answer?: FieldValues | undefined
  readonly plan?: Plan | undefined
  /** The states of a KYC review in order; none: it never ends. */
  readonly review?: readonly ReviewStep[] | undefined
  /** The channel of the request is closed before the rules look at it. */
  readonly channel?: { readonly reactivate_after: number | undefined } | undefined
}

/** The request's own wishes, by `Prefer` or `X-Sandbox-Scenario`. */
export interface Preferred {
  readonly scenario: string | undefined
  /** Laid over what the scenario says. */
  readonly outcome: Outcome
  /** The preferences that were understood, as they were sent. */
  readonly applied: readonly string[]
}

/** Who decided, in the order in which they are asked. */
export type DecidedBy = 'header' | 'queue' | 'switched on' | 'when' | 'default'

export interface Decision {
  readonly by: DecidedBy
  readonly scenario: string | null
  readonly outcome: Outcome
  /** Other scenarios that matched and gave way to a more specific one, the user's own or an earlier name. */
  readonly over: readonly string[]
  readonly preferred: Preferred | undefined
  /** Jobs to be done before the answer leaves. */
  readonly before_answer: number[]
}

/** What the audit and the log call whoever has the token of `/__admin` that has no name. */
export const UNNAMED_TOKEN = 'admin'
