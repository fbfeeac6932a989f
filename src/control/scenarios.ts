import type { Context } from 'hono'
import { invalid, notFound, ServiceError } from '../domain/errors.ts'
import type { Env } from '../http/env.ts'
import type { Look, Tx } from '../domain/context.ts'
import { describeOutcome } from '../scenarios/describe.ts'
import { ScenarioError } from '../scenarios/issues.ts'
import type { Library } from '../scenarios/library.ts'
import { magicNumbers } from '../scenarios/magic.ts'
import {
  libraryIn,
  SCENARIO_STATE,
  stateIn,
  stepAt,
  usesBefore,
  type ScenarioState,
} from '../scenarios/state.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { changingBytes } from '../store/row-bytes.ts'
import { didYouMean } from '../suggest.ts'
import type { ControlHandlers } from './handlers.ts'

export const scenarios: Pick<
  ControlHandlers,
  | 'listScenarios'
  | 'getScenario'
  | 'putScenario'
  | 'switchScenario'
  | 'queueScenario'
  | 'getScenarioState'
  | 'setScenarioState'
  | 'resetScenarios'
  | 'listMagicValues'
> = {
  async listScenarios(c) {
    return c.json(listView(await seen(c)), 200)
  },

  async getScenario(c) {
    const there = await seen(c)
    return c.json({ scenario: view(requireScenario(there, c.req.valid('param').name), there.state) }, 200)
  },

  async putScenario(c) {
    const { name } = c.req.valid('param')
    const { readFileOf, TEXT_LIMITS } = await import('../scenarios/read.ts')
    const file = await readable(() => readFileOf(name, name, c.var.text, TEXT_LIMITS))
    const there = await changed(c, ({ state }) => ({ ...state, files: { ...state.files, [name]: file } }))
    return c.json({ scenario: view(requireScenario(there, name), there.state) }, 200)
  },

  async switchScenario(c) {
    const { name } = c.req.valid('param')
    const { on } = c.req.valid('json')
    const there = await changed(c, (before) => {
      requireScenario(before, name)
      const others = before.state.on.filter((each) => each !== name)
      return { ...before.state, on: on ? [name, ...others] : others }
    })
    return c.json({ scenario: view(requireScenario(there, name), there.state) }, 200)
  },

  async queueScenario(c) {
    const { name } = c.req.valid('param')
    const { times = 1 } = c.req.valid('json')
    const there = await changed(c, (before) => {
      requireScenario(before, name)
      return { ...before.state, queue: [...before.state.queue, { scenario: name, times }] }
    })
    return c.json({ scenario: view(requireScenario(there, name), there.state) }, 200)
  },

  async getScenarioState(c) {
    const there = await seen(c)
    return c.json(stateView(requireScenario(there, c.req.valid('param').name), there.state), 200)
  },

  async setScenarioState(c) {
    const { name } = c.req.valid('param')
    const { step } = c.req.valid('json')
    const there = await changed(c, (before) => {
      const scenario = requireScenario(before, name)
      const steps = scenario.script.kind === 'steps' ? scenario.script.steps.length : 0
      if (step > steps) throw invalid(`step ${step} must be from 1 to ${steps}, the steps of ${name}`)
      const used = { ...before.state.used, [name]: usesBefore(scenario, step - 1) }
      return { ...before.state, used }
    })
    return c.json(stateView(requireScenario(there, name), there.state), 200)
  },

  async resetScenarios(c) {
    await c.var.world.change(({ rows }) => rows.delete('state', SCENARIO_STATE))
    return c.json(listView(await seen(c)), 200)
  },

  async listMagicValues(c) {
    const { library } = await seen(c)
    const magic_values = [...library.byName.values()]
      .filter(({ magic }) => magic !== null)
      .sort((a, b) => a.magic!.localeCompare(b.magic!))
      .map(({ name, title, magic, operations }) => ({
        ending: magic!,
        scenario: name,
        title,
        operations: [...operations],
        numbers: [...magicNumbers(magic!)],
      }))
    return c.json({ magic_values }, 200)
  },
}

/** What a world has of scenarios. */
interface There {
  readonly state: ScenarioState
  readonly library: Library
}

const seen = (c: Context<Env>): Promise<There> => c.var.world.read((look) => thereIn(c, look))

function thereIn(c: Context<Env>, { rows }: Look): There {
  const state = stateIn(rows.get('state', SCENARIO_STATE))
  return { state, library: libraryIn(c.var.library(), state) }
}

const changed = (c: Context<Env>, change: (before: There) => ScenarioState): Promise<There> =>
  c.var.world.change((tx: Tx) => {
    const before = thereIn(c, tx)
    const value = change(before)
    const used = changingBytes(before.state)
    const adding = changingBytes(value) - used
    if (adding > 0) c.var.world.budget.require('scenarios', used, adding)
    tx.rows.put('state', { name: SCENARIO_STATE, value })
    return thereIn(c, tx)
  })

/** @throws ServiceError 404 naming the nearest */
function requireScenario({ library }: There, name: string): Scenario {
  const scenario = library.byName.get(name)
  if (scenario) return scenario
  const { code, message } = notFound('scenario', name)
  throw new ServiceError(code, message + didYouMean(name, [...library.byName.keys()]))
}

/** @throws ServiceError 400 with a line for each fault of the file */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ScenarioError) throw invalid(error.message)
    throw error
  }
}

const listView = ({ library, state }: There) => ({
  scenarios: [...library.byName.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((scenario) => view(scenario, state)),
})

const view = (scenario: Scenario, { on, queue }: ScenarioState) => ({
  name: scenario.name,
  title: scenario.title,
  summary: scenario.summary,
  source: scenario.source,
  operations: [...scenario.operations],
  by_name_only: scenario.conditions === null,
  conditions: (scenario.conditions ?? []).map(({ field, must }) => `${field} ${must}`),
  magic: scenario.magic,
  outcome: outcomeOf(scenario),
  on: on.includes(scenario.name),
  queued: queue.reduce((sum, each) => sum + (each.scenario === scenario.name ? each.times : 0), 0),
})

function outcomeOf({ script }: Scenario): string {
  if (script.kind === 'then') return describeOutcome(script.outcome)
  const parts = script.kind === 'steps' ? script.steps : script.choices
  return parts.map(({ outcome }) => describeOutcome(outcome) || 'nothing special').join('; ')
}

function stateView(scenario: Scenario, { used }: ScenarioState) {
  const uses = used[scenario.name] ?? 0
  const step = stepAt(scenario, uses)
  return {
    name: scenario.name,
    used: uses,
    step: step === undefined ? null : step + 1,
    steps: scenario.script.kind === 'steps' ? scenario.script.steps.length : 0,
  }
}
