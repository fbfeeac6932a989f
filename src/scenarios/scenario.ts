/** Compiled scenarios. Durations are in milliseconds; files write them as `3s`. */
import type { Expectation } from './expect.ts'
import type { Outcome, Preferred } from '../service/vocabulary/outcome.ts'
import type { Direction } from '../service/vocabulary/terms.ts'

export const afterLastWords = ['repeat', 'stay', 'none'] as const

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
  | {
      readonly kind: 'steps'
      readonly steps: readonly Step[]
      readonly after_last: (typeof afterLastWords)[number]
    }
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }

/** One condition of `when`. */
export interface Condition {
  /** A fact, or the path of a field such as `body.customer.email`. */
  readonly field: string
  readonly holds: (value: unknown) => boolean
  /** What the field must be, such as `must be one of payin`. */
  readonly must: string
}

/** A compiled scenario file. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly summary: string
  /** Its source: a path, `SANDBOX_SCENARIOS`, or `this world`. */
  readonly source: string
  /** Whether the scenario is part of the sandbox. */
  readonly shipped: boolean
  /** The operations it applies to. */
  readonly operations: ReadonlySet<string>
  /** The other conditions, or null for a scenario that matches by name only. */
  readonly conditions: readonly Condition[] | null
  /** The number of conditions in the file, including `operation`. */
  readonly specificity: number
  /** The ending of its test numbers. */
  readonly ending: string | null
  readonly script: Script
  readonly expect: readonly Expectation[]
  /** The validated file it was compiled from. */
  readonly file: object
}

export interface ScenarioRequest {
  readonly operation: string
  /** Returns a fact or field of the request, or undefined if the request lacks it. */
  value(field: string): unknown
  readonly direction: () => Direction | undefined
  /** The preferences in the request's headers. */
  readonly preferred: Preferred | undefined
}
