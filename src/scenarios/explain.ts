/** Explains a decision: every rule, and why it did not match. */
import { fitsByName } from './decide.ts'
import {
  bySpecificity,
  type DecisionInput,
  type Library,
  libraryIn,
  type ScenarioState,
  stepAt,
} from './library.ts'
import { beginLook } from './when/patterns.ts'
import type { Condition, Scenario, ScenarioRequest } from './scenario.ts'
import type { DecidedBy, Decision } from '../service/vocabulary/outcome.ts'

/** Stored with a logged request to explain it later, in any process. */
export interface DecisionRecord {
  /** The version of the process's scenarios (`versionOf`). */
  readonly scenarios: number
  /** The state before the request. */
  readonly state: ScenarioState
  readonly decision: Decision
}

export interface Miss {
  readonly field: string
  readonly must: string
  readonly value: unknown
}

/** A rule that was considered. */
export interface Attempt {
  readonly by: DecidedBy
  readonly scenario: string
  /** Whether the rule could decide. The first one that could did. */
  readonly matched: boolean
  readonly misses: readonly Miss[]
}

export interface Explanation {
  readonly rules: readonly Attempt[]
  /** The rule with the fewest misses. */
  readonly nearest: Attempt | undefined
}

/** Returns all rules in the order of their precedence. */
export function explain({
  library: shared,
  state,
  request,
}: Omit<DecisionInput, 'random' | 'now'>): Explanation {
  const library = libraryIn(shared, state)
  beginLook()
  const named = (by: DecidedBy, name: string): Attempt => {
    const scenario = library.byName.get(name)
    const misses = scenario ? missesByName(scenario, state, request) : [gone]
    return { by, scenario: name, matched: misses.length === 0, misses }
  }
  const found = [...library.byName.values()]
    .filter(({ conditions, operations }) => conditions && operations.has(request.operation))
    .sort(bySpecificity)
  const tried: Attempt[] = [
    ...(request.preferred?.scenario === undefined ? [] : [named('header', request.preferred.scenario)]),
    ...state.queue.map(({ scenario }) => named('queue', scenario)),
    ...state.on.map((name) => named('enabled', name)),
    ...found.map((scenario) => {
      const misses = [...missesOf(scenario.conditions!, request), ...exhausted(scenario, state)]
      return { by: 'when' as const, scenario: scenario.name, matched: misses.length === 0, misses }
    }),
  ]
  return { rules: tried, nearest: nearestOf(tried, library) }
}

const gone: Miss = { field: 'scenario', must: 'must exist', value: undefined }

function missesByName(scenario: Scenario, state: ScenarioState, request: ScenarioRequest): Miss[] {
  if (fitsByName(scenario, request)) return exhausted(scenario, state)
  if (!scenario.operations.has(request.operation)) {
    const must = `must be one of ${[...scenario.operations].join(', ')}`
    return [{ field: 'operation', must, value: request.operation }]
  }
  return missesOf(
    scenario.conditions!.filter(({ field }) => field === 'direction'),
    request,
  )
}

function missesOf(conditions: readonly Condition[], request: ScenarioRequest): Miss[] {
  return conditions.flatMap(({ field, holds, must }) => {
    const value = request.value(field)
    return holds(value) ? [] : [{ field, must, value: value ?? null }]
  })
}

function exhausted(scenario: Scenario, { used }: ScenarioState): Miss[] {
  const uses = used[scenario.name] ?? 0
  if (scenario.script.kind !== 'steps' || stepAt(scenario, uses) !== undefined) return []
  return [{ field: 'steps', must: 'must have a step left', value: uses }]
}

/** Returns the rule with the fewest misses, then the one with the most matching conditions. */
function nearestOf(tried: readonly Attempt[], library: Library): Attempt | undefined {
  const held = (each: Attempt) => (library.byName.get(each.scenario)?.specificity ?? 0) - each.misses.length
  // Every ordinary number misses the shipped test numbers, so they are not near.
  const isNear = ({ scenario, matched, misses }: Attempt) => {
    const { ending = null, shipped = false } = library.byName.get(scenario) ?? {}
    return !matched && !(shipped && ending !== null && misses.some(({ field }) => field === 'party'))
  }
  return tried.filter(isNear).toSorted((a, b) => a.misses.length - b.misses.length || held(b) - held(a))[0]
}
