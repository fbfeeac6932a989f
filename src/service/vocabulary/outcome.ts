/** What a scenario has happen to a request, and what was decided of one; rows, rules and scenarios share it. */
import type { Reason } from './reasons.ts'
import type {
  AnswerFault,
  CallbackFault,
  CallbackMethod,
  CallbackShape,
  FieldValues,
  RetryProfile,
  StatementFault,
} from './terms.ts'

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
