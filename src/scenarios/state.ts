/** The scenarios of a world, stored as one row of its `state` table. */
import { timeSlice } from '../lib/clock/time-slice.ts'
import { changingBytes } from '../storage/store/tables.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { compileScenario, libraryOf, type Library } from './library.ts'
import type { RunningIncident } from './incident.ts'
import type { ScenarioFile } from './file.ts'
import { compilePatterns, loadPatternsFor, programsIn } from './patterns.ts'
import type { Scenario } from './scenario.ts'

export interface ScenarioState {
  /** Enabled scenarios, the last enabled one first. */
  readonly on: readonly string[]
  /** Scenarios queued for the next request they fit. */
  readonly queue: readonly { readonly scenario: string; readonly times: number }[]
  /** The number of requests that each scenario with steps or choices has decided. */
  readonly used: { readonly [scenario: string]: number }
  /** The world's own validated files, by name. */
  readonly files: { readonly [name: string]: ScenarioFile }
  /** The texts of files that clients sent as YAML. */
  readonly texts?: { readonly [name: string]: string }
  /** Incidents that were started, the first one first. */
  readonly incidents?: readonly RunningIncident[]
}

export const SCENARIO_STATE = 'scenarios'
export const noState: ScenarioState = { on: [], queue: [], used: {}, files: {} }

export const stateIn = (row: StateRow | undefined): ScenarioState =>
  (row?.value as ScenarioState | undefined) ?? noState

export function libraryIn(shared: Library, { files }: ScenarioState): Library {
  if (files === noState.files) return shared
  const known = merged.get(files)
  if (known?.shared === shared) return known.library
  const own = Object.entries(files).map(([name, file]) => compiledFile(name, file))
  const library = own.length === 0 ? shared : libraryOf([...shared.byName.values(), ...own])
  merged.set(files, { shared, library })
  return library
}

/**
 * Compiles a file once. Adding a file to a world creates a new map that contains the other files' same
 * objects.
 */
function compiledFile(name: string, file: ScenarioFile): Scenario {
  const known = compiled.get(file)
  if (known?.name === name) return known
  const scenario = compileScenario(name, OWN_FILE, file)
  compiled.set(file, scenario)
  return scenario
}

/** Returns the size of a world's scenarios, including the compiled programs of their patterns. */
export function scenarioBytes(state: ScenarioState): number {
  if (state === noState) return 0
  let bytes = changingBytes(state)
  for (const file of Object.values(state.files)) bytes += programBytesOf(file)
  return bytes
}

function programBytesOf(file: ScenarioFile): number {
  const known = programBytes.get(file)
  if (known !== undefined) return known
  const bytes = programsIn(file.when).reduce((sum, program) => sum + program.bytes, 0)
  programBytes.set(file, bytes)
  return bytes
}

/**
 * Compiles the scenarios of a world that is being opened, in time slices, so that its first request does not
 * have to.
 */
export async function prepareScenarios(world: string, state: ScenarioState | undefined): Promise<void> {
  const files = Object.entries(state?.files ?? {})
  if (files.length === 0) return
  await loadPatternsFor(state)
  const slice = await timeSlice(world)
  for (const [name, file] of files) {
    if (slice.over) await slice.next()
    compiledFile(name, file)
    await compilePatterns(file.when, slice)
  }
}

/** The source of a world's own files. */
export const OWN_FILE = 'this world'

/** Caches by row: rows never change in place. */
const merged = new WeakMap<object, { shared: Library; library: Library }>()
const compiled = new WeakMap<ScenarioFile, Scenario>()
const programBytes = new WeakMap<ScenarioFile, number>()

/** Returns the step of a scenario after `used` uses, or undefined if its steps are over. */
export function stepAt(scenario: Scenario, used: number): number | undefined {
  const { script } = scenario
  if (script.kind !== 'steps') return undefined
  const total = script.steps.reduce((sum, { times }) => sum + times, 0)
  if (used >= total && script.after_last === 'none') return undefined
  if (used >= total && script.after_last === 'stay') return script.steps.length - 1
  let left = used % total
  return script.steps.findIndex(({ times }) => (left -= times) < 0)
}

/** Returns the number of uses before a step, counted from 0. */
export function usesBefore(scenario: Scenario, step: number): number {
  const { script } = scenario
  if (script.kind !== 'steps') return 0
  return script.steps.slice(0, step).reduce((sum, { times }) => sum + times, 0)
}
