/** Why a request was decided as it was: every rule that was tried, and what made it miss. */
import { fitsByName } from './decide.ts'
import { bySpecificity, type Library } from './library.ts'
import { beginLook } from './patterns.ts'
import { libraryIn, stepAt, type ScenarioState } from './state.ts'
import type { ScenarioRequest, Condition, Scenario } from './scenario.ts'
import type { DecidedBy, Decision } from '../terms.ts'

/** What a decision looked at. */
export interface Considered {
  readonly library: Library
  /** As it was before the request. */
  readonly state: ScenarioState
  readonly asked: ScenarioRequest
}

/** What is kept of a decision, to be explained when someone asks: data alone, which any process can read. */
export interface DecisionRecord {
  /** Which scenarios the process had (`versionOf`). */
  readonly scenarios: number
  /** As it was before the request. */
  readonly state: ScenarioState
  readonly decision: Decision
}

export interface Miss {
  readonly field: string
  readonly must: string
  readonly value: unknown
}

export interface Tried {
  readonly by: DecidedBy
  readonly scenario: string
  /** Whether it could have decided; the first that could did. */
  readonly matched: boolean
  readonly misses: readonly Miss[]
}

export interface Explanation {
  readonly tried: readonly Tried[]
  /** Of those that missed, the one that missed least. */
  readonly nearest: Tried | undefined
}

export function explain({ library: shared, state, asked }: Considered): Explanation {
  const library = libraryIn(shared, state)
  beginLook()
  const named = (by: DecidedBy, name: string): Tried => {
    const scenario = library.byName.get(name)
    const misses = scenario ? missesByName(scenario, state, asked) : [gone]
    return { by, scenario: name, matched: misses.length === 0, misses }
  }
  const found = [...library.byName.values()]
    .filter(({ conditions, operations }) => conditions && operations.has(asked.operation))
    .sort(bySpecificity)
  const tried: Tried[] = [
    ...(asked.preferred?.scenario === undefined ? [] : [named('header', asked.preferred.scenario)]),
    ...state.queue.map(({ scenario }) => named('queue', scenario)),
    ...state.on.map((name) => named('switched on', name)),
    ...found.map((scenario) => {
      const misses = [...missesOf(scenario.conditions!, asked), ...exhausted(scenario, state)]
      return { by: 'when' as const, scenario: scenario.name, matched: misses.length === 0, misses }
    }),
  ]
  return { tried, nearest: nearestOf(tried, library) }
}

const gone: Miss = { field: 'scenario', must: 'must exist', value: undefined }

function missesByName(scenario: Scenario, state: ScenarioState, asked: ScenarioRequest): Miss[] {
  if (fitsByName(scenario, asked)) return exhausted(scenario, state)
  if (!scenario.operations.has(asked.operation)) {
    const must = `must be one of ${[...scenario.operations].join(', ')}`
    return [{ field: 'operation', must, value: asked.operation }]
  }
  return missesOf(
    scenario.conditions!.filter(({ field }) => field === 'direction'),
    asked,
  )
}

function missesOf(conditions: readonly Condition[], asked: ScenarioRequest): Miss[] {
  return conditions.flatMap(({ field, holds, must }) => {
    const value = asked.value(field)
    return holds(value) ? [] : [{ field, must, value: value ?? null }]
  })
}

function exhausted(scenario: Scenario, { used }: ScenarioState): Miss[] {
  const uses = used[scenario.name] ?? 0
  if (scenario.script.kind !== 'steps' || stepAt(scenario, uses) !== undefined) return []
  return [{ field: 'steps', must: 'must have a step left', value: uses }]
}

/**
 * The fewest misses; among those, what missed more than a magic number, since every ordinary number misses all of them;
 * then the most conditions that held.
 */
function nearestOf(tried: readonly Tried[], library: Library): Tried | undefined {
  const held = (each: Tried) => (library.byName.get(each.scenario)?.specificity ?? 0) - each.misses.length
  const byNumber = ({ scenario, misses }: Tried) =>
    typeof library.byName.get(scenario)?.magic === 'string' && misses.some(({ field }) => field === 'party')
      ? 1
      : 0
  return tried
    .filter(({ matched }) => !matched)
    .toSorted(
      (a, b) => a.misses.length - b.misses.length || byNumber(a) - byNumber(b) || held(b) - held(a),
    )[0]
}
