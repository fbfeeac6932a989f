import type { Reason } from '../service/vocabulary/reasons.ts'
import type { Decision, Outcome } from '../service/vocabulary/outcome.ts'
import { describePart, thenWords } from './then/table.ts'
import type { Word } from './then/word.ts'

/** Describes a decision for a header: `when; fails (cancelled) after 3s`. */
export function describeDecision({ by, outcome }: Decision): string {
  const what = describeOutcome(outcome)
  return what === '' ? by : `${by}; ${what}`
}

/**
 * Describes a decision if a rule of an operator determines the end: `Realism.same_amount; fails
 * (rule_limited)`.
 */
export function describeOperatorRule(decision: Decision, rule: string, reason: Reason): string {
  const end = `Realism.${rule}; fails (${reason})`
  return describeOutcome(decision.outcome) === '' ? end : `${describeDecision(decision)}; ${end}`
}

/** Words in the order of descriptions. */
const wordsInTurn = (['response', 'request', 'result'] as const).flatMap((about) =>
  Object.values<Word>(thenWords).filter((word) => word.about === about),
)

/** Describes an outcome; empty if nothing special happens. */
export function describeOutcome(outcome: Outcome): string {
  const known = described.get(outcome)
  if (known !== undefined) return known
  const words = wordsInTurn.flatMap((word) => describePart(word, outcome)).join(', ')
  described.set(outcome, words)
  return words
}

/** A cache, since nearly all requests share a few outcomes. */
const described = new WeakMap<Outcome, string>()
