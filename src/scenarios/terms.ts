/** The words of scenarios. Durations are milliseconds throughout; files write them as `3s`. */
import type { Plan, Reason } from '../domain/terms.ts'

/** What can be wrong with the answer on purpose. */
export const answerFaults = [
  'connection-reset',
  'empty-response',
  'garbage',
  'slow-body',
  'lost-response',
] as const
export type AnswerFault = (typeof answerFaults)[number]

/** What happens after the last of a scenario's steps. */
export const afterLastWords = ['repeat', 'stay', 'none'] as const
export type AfterLast = (typeof afterLastWords)[number]

export interface ReviewStep {
  readonly status: 'in_review' | 'approved' | 'rejected'
  /** From the submission. */
  readonly after: number
  readonly reasons: readonly string[]
}

/** What will happen: to the answer, and to what was asked for. Whatever is left out is as without a scenario. */
export interface Outcome {
  readonly respond?: { readonly status: number; readonly body: unknown } | undefined
  readonly delay?: number | undefined
  readonly fault?: AnswerFault | undefined
  readonly plan?: Plan | undefined
  /** The states of a KYC review in order; none: it never ends. */
  readonly review?: readonly ReviewStep[] | undefined
  /** The channel of the request is closed before the rules look at it. */
  readonly channel?: { readonly reactivate_after: number | undefined } | undefined
}

export interface Step {
  readonly times: number
  readonly outcome: Outcome
}

export interface Choice {
  readonly weight: number
  readonly outcome: Outcome
}

export type Script =
  | { readonly kind: 'then'; readonly outcome: Outcome }
  | { readonly kind: 'steps'; readonly steps: readonly Step[]; readonly after_last: AfterLast }
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }

/** One thing that `when` asks of a request. */
export interface Condition {
  /** A fact, or the path of a field such as `body.customer.email`. */
  readonly field: string
  readonly holds: (value: unknown) => boolean
  /** What it asks, in words: `must be one of payin`. */
  readonly must: string
}

/** A scenario file, ready to be matched. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly summary: string
  /** Where it was read: a path, `SANDBOX_SCENARIOS`, or `this world`. */
  readonly source: string
  /** It came with the sandbox. */
  readonly shipped: boolean
  /** The operations it can happen in. */
  readonly operations: ReadonlySet<string>
  /** What else a request must be like to find it; null: it is found by name only. */
  readonly conditions: readonly Condition[] | null
  /** How many conditions the file states, `operation` among them. */
  readonly specificity: number
  /** The ending of its magic numbers. */
  readonly magic: string | null
  readonly script: Script
  readonly expect: readonly Expectation[]
}

/** What a file promises of one request. */
export interface Expectation {
  readonly request: {
    readonly operation: string
    readonly body: object
    readonly headers: { readonly [name: string]: string }
  }
  /** Time that passes before the request. */
  readonly after: number
  readonly times: number
  /** How long the world goes on after it; until nothing is owed when undefined. */
  readonly for: number | undefined
  readonly polls: number
  readonly answer:
    { readonly status: number | undefined; readonly body: unknown; readonly cut: boolean } | undefined
  /** The least the answer waits. */
  readonly delay: number | undefined
  readonly status: string | undefined
  readonly statuses: { readonly [status: string]: number } | undefined
  readonly reason: Reason | undefined
  /** Each a status, or a part of the body. */
  readonly callbacks: readonly (string | object)[] | undefined
  readonly callback_first: boolean
  readonly kyc: readonly string[] | undefined
  /** What each pot of the Team gains, major units. */
  readonly ledger: { readonly [pot: string]: number } | undefined
}

/** A request as scenarios see it. */
export interface Asked {
  readonly operation: string
  /** A fact or a field of the request; undefined when it has none. */
  value(field: string): unknown
  readonly direction: () => 'payin' | 'payout' | undefined
  /** What the request's own headers ask for. */
  readonly preferred: Preferred | undefined
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
