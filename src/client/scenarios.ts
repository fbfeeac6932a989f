import { requireText } from './operations.ts'
import type { Ask, Transport } from './transport.ts'
import type {
  OutcomeNumbers,
  Scenario,
  ScenarioCheck,
  ScenarioSample,
  ScenarioState,
} from '../generated/control/types.ts'
import type { ScenarioFile, ShippedScenario } from '../generated/scenario-file.ts'

/**
 * The name of an outcome: a shipped one or a custom one.
 * @example
 * ```ts
 * const names: ScenarioName[] = ['payer-cancels', 'my-own']
 * names.length // => 2
 * ```
 */
export type ScenarioName = ShippedScenario | (string & {})

/**
 * The outcomes of a world: `world.scenarios`.
 * @example
 * ```ts
 * const shop = await world.world()
 * await shop.scenarios.next('payer-cancels', 2)
 * const { queued } = await shop.scenarios.get('payer-cancels')
 * queued // => 2
 * ```
 */
export interface ScenariosClient {
  on(name: ScenarioName): Promise<void>
  off(name: ScenarioName): Promise<void>
  /** Applies the outcome to the next `times` matching requests; once by default. */
  next(name: ScenarioName, times?: number): Promise<void>
  list(): Promise<readonly Scenario[]>
  get(name: ScenarioName): Promise<Scenario>
  /** Returns the scenario file as YAML. */
  source(name: ScenarioName): Promise<string>
  /** Returns requests that trigger the outcome, each with the expected result, without sending them. @param reference - The reference to use in them. */
  samples(name: ScenarioName, reference?: string): Promise<readonly ScenarioSample[]>
  /** Returns the current step of an outcome with steps. */
  state(name: ScenarioName): Promise<ScenarioState>
  /** Sets the step that the next matching request gets; the first is 1. */
  setStep(name: ScenarioName, step: number): Promise<ScenarioState>
  /** Adds or replaces a custom outcome of the world. @param file - An object or YAML. */
  put(name: ScenarioName, file: ScenarioFile | string): Promise<Scenario>
  /** Validates a scenario file without adding it. @param file - An object or YAML. */
  check(file: ScenarioFile | string, name?: string): Promise<ScenarioCheck>
  /** Deletes a custom outcome. */
  delete(name: ScenarioName): Promise<void>
  /** Switches all outcomes off, empties the queue and restarts steps. */
  reset(): Promise<void>
  /** Lists the phone and account numbers that always lead to the same outcome. */
  testNumbers(): Promise<readonly OutcomeNumbers[]>
}

export const scenariosOf = ({ call, callAs }: Transport): ScenariosClient => {
  const turn = async (name: string, on: boolean) => {
    requireText(`scenarios.${on ? 'on' : 'off'}`, 'the name of an outcome such as "payer-cancels"', name)
    await call('switchScenario', { path: { name }, body: { on } })
  }
  return {
    on: (name) => turn(name, true),
    off: (name) => turn(name, false),
    next: async (name, times = 1) => void (await call('queueScenario', { path: { name }, body: { times } })),
    list: async () => (await call('listScenarios')).scenarios,
    get: async (name) => (await call('getScenario', { path: { name } })).scenario,
    // The default response is JSON.
    source: (name) =>
      callAs('getScenario', {
        path: { name },
        headers: { accept: 'application/yaml' },
      }) as Promise<unknown> as Promise<string>,
    samples: async (name, reference) =>
      (await call('listScenarioSamples', { path: { name }, query: { reference } })).samples,
    state: (name) => call('getScenarioState', { path: { name } }),
    setStep: (name, step) => call('setScenarioState', { path: { name }, body: { step } }),
    put: async (name, file) => (await callAs('putScenario', { path: { name }, ...sent(file) })).scenario,
    check: (file, name) => callAs('checkScenario', { ...sent(file), query: { name } }),
    delete: async (name) => void (await call('deleteScenario', { path: { name } })),
    reset: async () => void (await call('resetScenarios')),
    testNumbers: async () => (await call('listTestNumbers')).test_numbers,
  }
}

const sent = (file: ScenarioFile | string): Ask =>
  typeof file === 'string' ? { text: file, headers: { 'content-type': 'application/yaml' } } : { body: file }
