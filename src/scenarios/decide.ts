/**
 * Decides the outcome of a request. The first match wins, in this order: the request's header, the world's queue, enabled
 * scenarios, `when` of the files. Without a match the rules and the default decide.
 */
import {
  bySpecificity,
  type DecisionInput,
  type Library,
  libraryIn,
  stepAt,
  type ScenarioState,
} from './library.ts'
import { endingOf } from '../service/domain/countries/countries.ts'
import { withIncidents } from './incidents.ts'
import { beginLook } from './when/patterns.ts'
import { overlay, describePart, thenWords } from './then/table.ts'
import type { Scenario, ScenarioRequest } from './scenario.ts'
import type { DecidedBy, Decision, Outcome } from '../service/vocabulary/outcome.ts'
import type { Reason } from '../service/vocabulary/rails.ts'
import type { Word } from './then/word.ts'

interface DecisionResult {
  readonly decision: Decision
  readonly state: ScenarioState | undefined
}

const nothing: Outcome = Object.freeze({})

/** The decision of most requests. They share one object, because every logged request keeps its decision. */
const BY_DEFAULT: DecisionResult = {
  decision: Object.freeze({
    by: 'default',
    scenario: null,
    outcome: nothing,
    overridden: [],
    preferred: undefined,
    before_answer: Object.freeze<number[]>([]) as number[],
  }),
  state: undefined,
}

/** Returns the decision without changing anything. Incidents change every outcome that the request's header does not name. */
export function decide(input: DecisionInput): DecisionResult {
  const result = decideByScenario(input)
  if (!input.state.incidents || result.decision.by === 'header') return result
  return { ...result, decision: withIncidents(result.decision, input) }
}

function decideByScenario(input: DecisionInput): DecisionResult {
  const { state, request } = input
  const { preferred } = request
  const library = libraryIn(input.library, state)
  beginLook()

  if (preferred?.scenario !== undefined) {
    const used = useByName(preferred.scenario, library, input)
    if (used) return decided('header', used, request)
  }
  if (preferred && Object.keys(preferred.outcome).length > 0) return decided('header', NONE, request)

  for (const [index, { scenario: name, times }] of state.queue.entries()) {
    const used = useByName(name, library, input)
    if (!used) continue
    const left = times > 1 ? [{ scenario: name, times: times - 1 }] : []
    const queue = state.queue.toSpliced(index, 1, ...left)
    return decided('queue', { ...used, state: { ...(used.state ?? state), queue } }, request)
  }
  for (const name of state.on) {
    const used = useByName(name, library, input)
    if (used) return decided('enabled', used, request)
  }
  const matching = matchingScenarios(library, request)
  for (const [index, scenario] of matching.entries()) {
    const used = use(scenario, input)
    if (!used) continue
    const overridden = matching.slice(index + 1).map((each) => each.name)
    return decided('when', used, request, overridden)
  }
  return preferred ? decided('default', NONE, request) : BY_DEFAULT
}

/** Returns the scenarios whose `when` a request meets, the most specific first. */
function matchingScenarios(library: Library, request: ScenarioRequest): readonly Scenario[] {
  const shelf = library.shelves.get(request.operation)
  if (!shelf) return []
  const ending = shelf.byEnding.size > 0 ? endingOf(request.value('party')) : undefined
  const byNumber = ending === undefined ? undefined : shelf.byEnding.get(ending)
  const matching: Scenario[] = []
  for (const scenario of byNumber ?? []) if (meets(scenario, request)) matching.push(scenario)
  for (const scenario of shelf.others) if (meets(scenario, request)) matching.push(scenario)
  return matching.length > 1 ? matching.sort(bySpecificity) : matching
}

const meets = ({ conditions }: Scenario, request: ScenarioRequest) =>
  conditions!.every(({ field, holds }) => holds(request.value(field)))

/**
 * Whether a named scenario fits the request by operation and direction. The rest of its `when` only matters for unnamed
 * matches.
 */
export const fitsByName = ({ operations, conditions }: Scenario, request: ScenarioRequest): boolean =>
  operations.has(request.operation) &&
  (conditions ?? []).every(({ field, holds }) => field !== 'direction' || holds(request.direction()))

interface Use {
  readonly scenario: string | null
  readonly outcome: Outcome
  readonly state: ScenarioState | undefined
}

const NONE: Use = { scenario: null, outcome: nothing, state: undefined }

/** Uses a scenario by name, or undefined if it does not exist, does not fit the request, or has no step left. */
function useByName(name: string, { byName }: Library, input: DecisionInput) {
  const scenario = byName.get(name)
  return scenario && fitsByName(scenario, input.request) ? use(scenario, input) : undefined
}

/** Returns the outcome of this use, or undefined if no step is left. */
function use(scenario: Scenario, { state, random }: DecisionInput): Use | undefined {
  const { name, script } = scenario
  if (script.kind === 'then') return { scenario: name, outcome: script.outcome, state: undefined }
  const used = state.used[name] ?? 0
  const next = { ...state, used: { ...state.used, [name]: used + 1 } }
  if (script.kind === 'steps') {
    const step = stepAt(scenario, used)
    return step === undefined
      ? undefined
      : { scenario: name, outcome: script.steps[step]!.outcome, state: next }
  }
  const total = script.choices.reduce((sum, { weight }) => sum + weight, 0)
  let left = random.fraction(`scenario ${name}`, used) * total
  const chosen = script.choices.find(({ weight }) => (left -= weight) < 0) ?? script.choices.at(-1)!
  return { scenario: name, outcome: chosen.outcome, state: next }
}

function decided(
  by: DecidedBy,
  { scenario, outcome, state }: Use,
  { preferred }: ScenarioRequest,
  overridden: readonly string[] = [],
): DecisionResult {
  const said = preferred ? overlay(outcome, preferred.outcome) : outcome
  return { decision: { by, scenario, outcome: said, overridden, preferred, before_answer: [] }, state }
}

/** Describes a decision for a header: `when; fails (cancelled) after 3s`, `default, incident slow-api; waits 2s`. */
export function describeDecision({ by, outcome, incidents = [] }: Decision): string {
  const source = incidents.reduce((before, name) => `${before}, incident ${name}`, by as string)
  const what = describeOutcome(outcome)
  return what === '' ? source : `${source}; ${what}`
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
