/** Outcomes of requests, shared by rows, rules and scenarios. */
import type { Reason } from './rails.ts'
import type {
  AnswerFault,
  CallbackFault,
  CallbackMethod,
  CallbackShape,
  FieldValues,
  RetryProfile,
  StatementFault,
} from './terms.ts'

/** How a callback is retried, if different from the world's settings. */
export interface RetryPlan {
  readonly profile?: RetryProfile | undefined
  /** Divides every pause; greater than 0. */
  readonly speed?: number | undefined
}

/** When and how a transaction's callbacks are sent, if different from the default. Durations in milliseconds. */
export interface CallbackPlan {
  /** From the final state to the callback. */
  readonly after?: number | undefined
  /** Not earlier than this time of the world's clock, milliseconds. */
  readonly not_before?: number | undefined
  /** How often the same callback is sent, with the same id. */
  readonly times?: number | undefined
  /** Sends all of them at the same moment. */
  readonly concurrent?: boolean | undefined
  /** Sends it before the response to the request. */
  readonly first?: boolean | undefined
  /** Never sends it. */
  readonly drop?: boolean | undefined
  /** Delivers callbacks of successive results newest first: each waits for those that `later` plans after it. */
  readonly out_of_order?: boolean | undefined
  readonly shape?: CallbackShape | undefined
  readonly fault?: CallbackFault | undefined
  /** Overrides or adds fields of the body, which is signed correctly. */
  readonly set?: FieldValues | undefined
  readonly method?: CallbackMethod | undefined
  readonly content_type?: string | undefined
  /** Spaces after the body, bytes. */
  readonly padding?: number | undefined
  readonly retry?: RetryPlan | undefined
}

/** A false response to status queries of a final transaction. */
export interface LookUpPlan {
  readonly status?: 'queued' | 'success' | 'failed' | 'reversed' | undefined
  readonly reason?: Reason | undefined
  readonly set?: FieldValues | undefined
}

/** A change of a final transaction. */
export interface Later {
  readonly after: number
  readonly status: 'success' | 'reversed'
  /** On the first banking day after that time. */
  readonly next_business_day?: boolean | undefined
}

/** The plan for an accepted transaction. Durations in milliseconds on the world's clock. */
export interface Plan {
  readonly settle?:
    | {
        readonly status?: 'success' | 'failed' | undefined
        readonly reason?: Reason | undefined
        readonly after?: number | undefined
        /** Settles at this status query instead of after a time. */
        readonly after_status_queries?: number | undefined
        readonly never?: boolean | undefined
        /** The incident that keeps it queued, until a backlog is released. */
        readonly held_by?: string | undefined
      }
    | undefined
  /** Changes after it is final, with times relative to the final state. */
  readonly later?: readonly Later[] | undefined
  readonly callback?: CallbackPlan | undefined
  readonly status_query?: LookUpPlan | undefined
  readonly statement?: StatementFault | undefined
}

export interface ReviewStep {
  readonly status: 'in_review' | 'approved' | 'rejected'
  /** From the submission. */
  readonly after: number
  readonly reasons: readonly string[]
}

/** The outcome of a request; omitted parts are the same as without a scenario. */
export interface Outcome {
  readonly respond?:
    | {
        readonly status: number
        readonly body: unknown
        /** The header `Retry-After`, seconds. */
        readonly retry_after?: number | undefined
        /** Performs the operation, whose response the client does not get. */
        readonly performed?: boolean | undefined
      }
    | undefined
  readonly delay?: number | undefined
  readonly fault?: AnswerFault | undefined
  /** Overrides or adds fields of the regular response. */
  readonly response?: FieldValues | undefined
  readonly plan?: Plan | undefined
  /** The states of a KYC review in order; without any, it never ends. */
  readonly review?: readonly ReviewStep[] | undefined
  /** Closes the request's channel before the rules apply. */
  readonly channel?: { readonly reactivate_after: number | undefined } | undefined
}

/** Preferences of the request in `Prefer` or `X-Sandbox-Scenario`. */
export interface Preferred {
  readonly scenario: string | undefined
  /** Overrides the outcome of the scenario. */
  readonly outcome: Outcome
  /** The preferences that were understood, as sent. */
  readonly applied: readonly string[]
}

/** Sources of a decision in order of precedence. */
export type DecidedBy = 'header' | 'queue' | 'enabled' | 'when' | 'default'

export interface Decision {
  readonly by: DecidedBy
  readonly scenario: string | null
  readonly outcome: Outcome
  /** Other matching scenarios with lower precedence: less specific, not the user's own, or later in name order. */
  readonly overridden: readonly string[]
  readonly preferred: Preferred | undefined
  /** Running incidents that changed the outcome. */
  readonly incidents?: readonly string[] | undefined
  /** Jobs to run before the response. */
  readonly before_answer: number[]
}
