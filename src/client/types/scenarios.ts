/** Scenarios. */
import type {
  Scenario,
  ScenarioCheck,
  ScenarioFile,
  ScenarioSample,
  ScenarioState,
} from '../../generated/control/types.ts'

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
  on(name: string): Promise<void>
  off(name: string): Promise<void>
  /** The next requests that fit meet it, so many of them. */
  next(name: string, times?: number): Promise<void>
  list(): Promise<readonly Scenario[]>
  /** The text of its file, in YAML. */
  source(name: string): Promise<string>
  /** The requests that show it, with what its file promises of each; none is sent. @param reference the caller's own in them */
  samples(name: string, reference?: string): Promise<readonly ScenarioSample[]>
  /** Where one with steps stands. */
  state(name: string): Promise<ScenarioState>
  /** The next request that it decides gets this step, the first being 1. */
  setStep(name: string, step: number): Promise<ScenarioState>
  /** One of the world's own. @param file as an object, or its YAML */
  put(name: string, file: ScenarioFile | string): Promise<Scenario>
  /** What is wrong in a file, without putting it. @param file as an object, or its YAML */
  check(file: ScenarioFile | string, name?: string): Promise<ScenarioCheck>
  /** Takes one of the world's own away. */
  delete(name: string): Promise<void>
  /** None is on, none is queued, and steps begin again. */
  reset(): Promise<void>
}
