import { handlers, ok } from './page.ts'
import { formatBytes } from '../lib/text/bytes.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { describeOutcome } from '../scenarios/decide.ts'
import {
  libraryIn,
  SCENARIO_STATE,
  scenarioBytes,
  type ScenarioState,
  stateIn,
  stepAt,
  usesBefore,
  type Library,
} from '../scenarios/library.ts'
import { ScenarioError, type ScenarioFile } from '../scenarios/file.ts'
import { testAccount, testNumbers, testShortCode } from '../service/domain/countries/countries.ts'
import { programsIn } from '../scenarios/when/patterns.ts'
import { aliasTable, findOutcome, meantOutcome } from '../scenarios/outcomes.ts'
import type { Expectation } from '../scenarios/expect.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { Look } from '../service/domain/context.ts'
import { invalid, noneLeft, notFound, ServiceError } from '../service/domain/errors.ts'
import type { World } from '../worlds/world.ts'

export const scenarios = handlers(({ library, inboxes }) => ({
  async listScenarios({ world }) {
    return ok(await scenarioList(world, library()))
  },

  async getScenario(call) {
    const { world, request } = call
    const there = await scenariosOf(world, library())
    const { name } = request.path
    if (!YAML.test(call.header('accept') ?? '')) return ok(scenarioView(there, name))
    const { sourceText } = await import('../scenarios/read.ts')
    const text = await sourceText(requireScenario(there, name), there.state)
    return { status: 200, text, type: 'application/yaml; charset=utf-8' }
  },

  async putScenario(call) {
    const { request, world, text } = call
    const { name } = request.path
    const { readFileOf, TEXT_LIMITS } = await import('../scenarios/read.ts')
    const file = await readable(() => readFileOf(name, name, text, TEXT_LIMITS))
    const put = ({ state }: WorldScenarios): ScenarioState => ({
      ...state,
      files: { ...state.files, [name]: file },
      texts: YAML.test(call.header('content-type') ?? '')
        ? { ...state.texts, [name]: text }
        : without(state.texts, name),
    })
    const there = await changed(world, library(), put).catch(nameLargestPattern(file))
    return ok(scenarioView(there, name))
  },

  async checkScenario({ request, text }) {
    const { name } = request.query
    const { readFileOf, TEXT_LIMITS } = await import('../scenarios/read.ts')
    try {
      await readFileOf(name, name, text, TEXT_LIMITS)
      return ok({ valid: true, issues: [], more: 0 })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      const issues = error.issues.map(({ line, column, message }) => ({ line, column, message }))
      return ok({ valid: false, issues, more: error.more })
    }
  },

  async deleteScenario({ request, world }) {
    const { name } = request.path
    await changed(world, library(), (before) => {
      requireScenario(before, name)
      const { on, queue, used } = before.state
      if (!Object.hasOwn(before.state.files, name))
        throw invalid(`scenario ${name} does not belong to this world; turn it off with PATCH instead`)
      const files = without(before.state.files, name)
      const texts = without(before.state.texts, name)
      if (library().byName.has(name)) return { on, queue, used, files, texts }
      return {
        on: on.filter((each) => each !== name),
        queue: queue.filter(({ scenario }) => scenario !== name),
        used: Object.fromEntries(Object.entries(used).filter(([each]) => each !== name)),
        files,
        texts,
      }
    })
    return ok({ deleted: 1 })
  },

  async switchScenario({ request, world }) {
    const { name } = request.path
    const { on, ...rest } = request.body
    noneLeft(rest)
    const there = await changed(world, library(), (before) => {
      const scenario = requireScenario(before, name).name
      const others = before.state.on.filter((each) => each !== scenario)
      return { ...before.state, on: on ? [scenario, ...others] : others }
    })
    return ok(scenarioView(there, name))
  },

  async queueScenario({ request, world }) {
    const { name } = request.path
    const { times = 1, ...rest } = request.body
    noneLeft(rest)
    const there = await changed(world, library(), (before) => {
      const scenario = requireScenario(before, name).name
      return { ...before.state, queue: [...before.state.queue, { scenario, times }] }
    })
    return ok(scenarioView(there, name))
  },

  async getScenarioState({ world, request }) {
    const there = await scenariosOf(world, library())
    return ok(stateView(requireScenario(there, request.path.name), there.state))
  },

  async setScenarioState({ world, request: { path, body } }) {
    return ok(await setScenarioStep(world, library(), path.name, body.step))
  },

  async resetScenarios({ world }) {
    await world.change(({ rows }) => rows.delete('state', SCENARIO_STATE))
    return ok(await scenarioList(world, library()))
  },

  async listTestNumbers({ world }) {
    const there = await scenariosOf(world, library())
    const test_numbers = [...there.library.byName.values()]
      .filter(({ ending }) => ending !== null)
      .sort((a, b) => a.ending!.localeCompare(b.ending!))
      .map(({ name, title, ending, operations }) => ({
        ending: ending!,
        scenario: name,
        title,
        operations: [...operations],
        numbers: [...testNumbers(ending!)],
        account: testAccount(ending!),
        short_code: testShortCode(ending!),
      }))
    return ok({ test_numbers })
  },

  async listScenarioSamples({ world, origin, request }) {
    const { name } = request.path
    const scenario = requireScenario(await scenariosOf(world, library()), name)
    const { sampleRequest } = await import('../scenarios/samples.ts')
    const callback_url = inboxes.address(origin, world.name, 'default')
    const kyc_id = await lastKyc(world)
    const promises = promisesOf(scenario)
    const samples = scenario.expect.map((expected, n) => {
      const reference = request.query.reference ?? `${name.slice(0, 60)}-${n + 1}`
      const { headers, body, ...line } = sampleRequest(scenario, expected.request, {
        callback_url,
        reference,
        kyc_id,
      })
      const { operation } = expected.request
      const { times } = expected
      const asked = { operation, ...line, headers: { ...headers }, body: body ? { ...body } : null }
      return { ...asked, reference, times, expect: promises[n]! }
    })
    return ok({ samples })
  },
}))

/** Adds the largest pattern of a file to the error that the world has no room for it. */
function nameLargestPattern({ when }: ScenarioFile): (error: unknown) => never {
  return (error) => {
    const [largest] = programsIn(when).toSorted((a, b) => b.bytes - a.bytes)
    if (!largest || !(error instanceof ServiceError) || error.code !== 'resource_exhausted') throw error
    const place = fieldPath(['when', ...largest.path])
    throw new ServiceError(error.code, `${error.message}; ${place} compiles to ${formatBytes(largest.bytes)}`)
  }
}

const YAML = /\b(application|text)\/(x-)?yaml\b/i

const without = <Value>(map: { readonly [name: string]: Value } = {}, name: string) =>
  Object.fromEntries(Object.entries(map).filter(([each]) => each !== name))

export const scenarioList = async (world: World, library: Library) =>
  listView(await scenariosOf(world, library))

/**
 * Sets the next step of a scenario; the first is 1.
 * @throws {ServiceError} 400 if the step does not exist, 404 if the scenario does not exist
 */
export async function setScenarioStep(world: World, library: Library, name: string, step: number) {
  const there = await changed(world, library, (before) => {
    const scenario = requireScenario(before, name)
    const steps = scenario.script.kind === 'steps' ? scenario.script.steps.length : 0
    if (steps === 0) throw invalid(`scenario ${name} has no steps`)
    if (step > steps) throw invalid(`step must be from 1 to ${steps}, the steps of ${name}, got ${step}`)
    const used = { ...before.state.used, [name]: usesBefore(scenario, step - 1) }
    return { ...before.state, used }
  })
  return stateView(requireScenario(there, name), there.state)
}

interface WorldScenarios {
  readonly state: ScenarioState
  readonly library: Library
}

export const scenariosOf = async (world: World, library: Library): Promise<WorldScenarios> =>
  world.read((look) => thereIn(library, look))

function thereIn(library: Library, { rows }: Look): WorldScenarios {
  const state = stateIn(rows.get('state', SCENARIO_STATE))
  return { state, library: libraryIn(library, state) }
}

const changed = async (
  world: World,
  library: Library,
  change: (before: WorldScenarios) => ScenarioState,
): Promise<WorldScenarios> =>
  world.change((tx) => {
    const before = thereIn(library, tx)
    const value = change(before)
    const used = scenarioBytes(before.state)
    const adding = scenarioBytes(value) - used
    if (adding > 0) world.budget.require('scenarios', used, adding)
    tx.rows.put('state', { name: SCENARIO_STATE, value })
    return thereIn(library, tx)
  })

function requireScenario({ library }: WorldScenarios, name: string): Scenario {
  const scenario = findOutcome(library.byName, name)
  if (scenario) return scenario
  const { code, message } = notFound('scenario', name)
  throw new ServiceError(code, message + meantOutcome(library.byName, name))
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ScenarioError) throw invalid(error.message)
    throw error
  }
}

const scenarioView = (there: WorldScenarios, name: string) => ({
  scenario: view(requireScenario(there, name), there.state, aliasTable(there.library.byName)),
})

function listView({ library, state }: WorldScenarios) {
  const aliases = aliasTable(library.byName)
  const scenarios = [...library.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { scenarios: scenarios.map((scenario) => view(scenario, state, aliases)) }
}

const view = (
  scenario: Scenario,
  { on, queue }: ScenarioState,
  aliases: ReadonlyMap<string, readonly string[]>,
) => ({
  name: scenario.name,
  aliases: [...(aliases.get(scenario.name) ?? [])],
  title: scenario.title,
  summary: scenario.summary,
  source: scenario.source,
  operations: [...scenario.operations],
  by_name_only: scenario.conditions === null,
  conditions: (scenario.conditions ?? []).map(({ field, must }) => `${field} ${must}`),
  ending: scenario.ending,
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

/** Returns the expectations of the file without their requests. */
function promisesOf({ file }: Scenario): readonly Record<string, unknown>[] {
  const { expect = [] } = file as { expect?: object | readonly object[] }
  return [expect].flat().map((each) => {
    const { request: _request, ...promise } = each as Partial<Expectation>
    return promise
  })
}

const lastKyc = (world: World) =>
  world.read(({ rows }) => rows.below('kycs', { before: Infinity, limit: 1 })[0]?.id ?? 0)
