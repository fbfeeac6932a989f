/** Outcomes of requests, shared by rows, rules and scenarios. */
import * as z from 'zod'
import { FIRST_TIME, LAST_TIME } from '../../lib/clock/clock.ts'
import { lazy } from '../../lib/lazy.ts'
import type { Frozen } from '../../lib/objects.ts'
import { FASTEST_PACE, LONGEST_DURATION, SLOWEST_PACE } from '../../lib/text/duration.ts'
import { reasonNames } from './rails.ts'
import {
  type AnswerFault,
  callbackFaults,
  callbackMethods,
  callbackShapes,
  type FieldValues,
  MOST_PADDING,
  retryProfiles,
  statementFaults,
} from './terms.ts'

// Rows contain plans, so that their types follow from the schemas that check imported rows.

const milliseconds = lazy(() => z.int().min(0).max(LONGEST_DURATION))
const text = lazy(() => z.string().max(255))
const reason = lazy(() => z.enum(reasonNames))
const fields = lazy(() => z.record(text(), z.unknown()))

/** How a callback is retried, if different from the world's settings. */
export const retryPlan = lazy(() =>
  z.object({
    profile: z.enum(retryProfiles).optional(),
    /** Divides every pause. */
    speed: z.number().min(SLOWEST_PACE).max(FASTEST_PACE).optional(),
  }),
)

/** When and how a transaction's callbacks are sent, if different from the default. Durations in milliseconds. */
const callbackPlan = lazy(() =>
  z.object({
    /** From the final state to the callback. */
    after: milliseconds().optional(),
    /** Not earlier than this time of the world's clock, milliseconds. */
    not_before: z.number().min(FIRST_TIME).max(LAST_TIME).optional(),
    /** How often the same callback is sent, with the same id. */
    times: z.int().min(1).max(100).optional(),
    /** Sends all of them at the same moment. */
    concurrent: z.boolean().optional(),
    /** Sends it before the response to the request. */
    first: z.boolean().optional(),
    /** Never sends it. */
    drop: z.boolean().optional(),
    /** Delivers callbacks of successive results newest first: each waits for those that `later` plans after it. */
    out_of_order: z.boolean().optional(),
    shape: z.enum(callbackShapes).optional(),
    fault: z.enum(callbackFaults).optional(),
    /** Overrides or adds fields of the body, which is signed correctly. */
    set: fields().optional(),
    method: z.enum(callbackMethods).optional(),
    content_type: text().optional(),
    /** Spaces after the body, bytes. */
    padding: z.int().min(1).max(MOST_PADDING).optional(),
    retry: retryPlan().optional(),
  }),
)
export type CallbackPlan = Frozen<z.output<ReturnType<typeof callbackPlan>>>

/** The plan for an accepted transaction. Durations in milliseconds on the world's clock. */
export const plan = lazy(() =>
  z.object({
    settle: z
      .object({
        status: z.enum(['success', 'failed']).optional(),
        reason: reason().optional(),
        after: milliseconds().optional(),
        /** Settles at this status query instead of after a time. */
        after_status_queries: z.int().min(1).optional(),
        never: z.boolean().optional(),
        /** The incident that keeps it queued, until a backlog is released. */
        held_by: text().optional(),
      })
      .optional(),
    /** Changes after it is final, with times relative to the final state. */
    later: z
      .array(
        z.object({
          after: milliseconds(),
          status: z.enum(['success', 'reversed']),
          /** On the first banking day after that time. */
          next_business_day: z.boolean().optional(),
        }),
      )
      .optional(),
    callback: callbackPlan().optional(),
    /** A false response to status queries of a final transaction. */
    status_query: z
      .object({
        status: z.enum(['queued', 'success', 'failed', 'reversed']).optional(),
        reason: reason().optional(),
        set: fields().optional(),
      })
      .optional(),
    statement: z.enum(statementFaults).optional(),
  }),
)
export type Plan = Frozen<z.output<ReturnType<typeof plan>>>
export type LookUpPlan = NonNullable<Plan['status_query']>
export type Later = NonNullable<Plan['later']>[number]

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
