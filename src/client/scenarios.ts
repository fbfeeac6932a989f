/** Scenarios. */
import type { Ask, Transport } from './transport.ts'
import type {
  MagicValue,
  Scenario,
  ScenarioCheck,
  ScenarioSample,
  ScenarioState,
} from '../generated/control/types.ts'
import type { ScenarioFile, ShippedScenario } from '../generated/scenario-file.ts'

/**
 * The name of a scenario: one that comes with the sandbox, or one of one's own.
 * @example
 * ```ts
 * import type { ScenarioName } from 'payments-sandbox'
 *
 * const failing: ScenarioName[] = ['payer-cancels', 'my-own']
 * failing.length // => 2
 * ```
 */
export type ScenarioName = ShippedScenario | (string & {})

/**
 * What happens to requests, and to whose.
 * @example
 * ```ts
 * import type { ScenariosClient } from 'payments-sandbox'
 *
 * const failing = async (scenarios: ScenariosClient) => {
 *   await scenarios.next('payer-cancels', 2)
 *   const queued = await scenarios.list()
 *   return queued.find(({ name }) => name === 'payer-cancels')?.queued
 * }
 * const shop = await world.world()
 * await failing(shop.scenarios) // => 2
 * ```
 */
export interface ScenariosClient {
  on(name: ScenarioName): Promise<void>
  off(name: ScenarioName): Promise<void>
  /** The next requests that fit meet it, so many of them. */
  next(name: ScenarioName, times?: number): Promise<void>
  list(): Promise<readonly Scenario[]>
  get(name: ScenarioName): Promise<Scenario>
  /** The text of its file, in YAML. */
  source(name: ScenarioName): Promise<string>
  /** The requests that show it, with what its file promises of each; none is sent. @param reference the caller's own in them */
  samples(name: ScenarioName, reference?: string): Promise<readonly ScenarioSample[]>
  /** Where one with steps stands. */
  state(name: ScenarioName): Promise<ScenarioState>
  /** The next request that it decides gets this step, the first being 1. */
  setStep(name: ScenarioName, step: number): Promise<ScenarioState>
  /** One of the world's own. @param file as an object, or its YAML */
  put(name: ScenarioName, file: ScenarioFile | string): Promise<Scenario>
  /** What is wrong in a file, without putting it. @param file as an object, or its YAML */
  check(file: ScenarioFile | string, name?: string): Promise<ScenarioCheck>
  /** Takes one of the world's own away. */
  delete(name: ScenarioName): Promise<void>
  /** None is on, none is queued, and steps begin again. */
  reset(): Promise<void>
  /** The phones and accounts to which something happens by itself. */
  magicValues(): Promise<readonly MagicValue[]>
}

/** `world.scenarios`: which are there, which are switched on, and files of the world itself. */
export const scenariosOf = ({ call, callAs }: Transport): ScenariosClient => {
  const turn = async (name: string, on: boolean) =>
    void (await call('switchScenario', { path: { name }, body: { on } }))
  return {
    on: (name) => turn(name, true),
    off: (name) => turn(name, false),
    next: async (name, times = 1) => void (await call('queueScenario', { path: { name }, body: { times } })),
    list: async () => (await call('listScenarios')).scenarios,
    get: async (name) => (await call('getScenario', { path: { name } })).scenario,
    // Its answer is JSON unless another form is asked for.
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
    magicValues: async () => (await call('listMagicValues')).magic_values,
  }
}

const sent = (file: ScenarioFile | string): Ask =>
  typeof file === 'string' ? { text: file, headers: { 'content-type': 'application/yaml' } } : { body: file }
