import type { Random } from '../lib/random/random.ts'
import type { Scenario, ScenarioRequest, Script } from './scenario.ts'
import { expectationOf } from './expect.ts'
import { operationsOf, type ScenarioFile } from './file.ts'
import { outcomeOf } from './then/table.ts'
import { conditionsOf, endingIn } from './when/when.ts'
import { timeSlice } from '../lib/clock/clock.ts'
import { changingBytes } from '../storage/store/tables.ts'
import type { StateRow } from '../storage/store/rows.ts'
import type { RunningIncident } from './incident.ts'
import { compilePatterns, loadPatternsFor, programsIn } from './when/patterns.ts'

interface Shelf {
  /** The scenarios of test numbers, by ending. */
  readonly byEnding: ReadonlyMap<string, readonly Scenario[]>
  readonly others: readonly Scenario[]
}

export interface Library {
  readonly byName: ReadonlyMap<string, Scenario>
  readonly shelves: ReadonlyMap<string, Shelf>
}

/** Later scenarios replace earlier ones of the same name. */
export function libraryOf(scenarios: Iterable<Scenario>): Library {
  const byName = new Map<string, Scenario>()
  for (const scenario of scenarios) byName.set(scenario.name, scenario)
  const shelves = new Map<string, { byEnding: Map<string, Scenario[]>; others: Scenario[] }>()
  for (const scenario of [...byName.values()].sort(bySpecificity)) {
    if (scenario.conditions === null) continue
    for (const operation of scenario.operations) {
      let shelf = shelves.get(operation)
      if (!shelf) shelves.set(operation, (shelf = { byEnding: new Map(), others: [] }))
      if (scenario.ending === null) shelf.others.push(scenario)
      else shelf.byEnding.set(scenario.ending, [...(shelf.byEnding.get(scenario.ending) ?? []), scenario])
    }
  }
  return { byName, shelves }
}

/** Sorts by number of conditions, then the user's before shipped ones, then by name. */
export const bySpecificity = (a: Scenario, b: Scenario) =>
  b.specificity - a.specificity ||
  Number(a.shipped) - Number(b.shipped) ||
  (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Maximum number of versions that a process keeps. Each reload of the files creates one. */
const KEPT = 16

const numbers = new WeakMap<Library, number>()
const recent = new Map<number, Library>()
let last = 0

/** Returns the version of a library in this process, which records contain instead of the library. */
export function versionOf(library: Library): number {
  const known = numbers.get(library)
  if (known !== undefined) return known
  last += 1
  numbers.set(library, last)
  recent.set(last, library)
  recent.delete(last - KEPT)
  return last
}

/** Returns the library of a version, or undefined if it is too old or of another process. */
export const libraryOfVersion = (version: number): Library | undefined => recent.get(version)

/**
 * @param file - validated
 * @param shipped - whether the file is part of the sandbox
 */
export function compileScenario(name: string, source: string, file: ScenarioFile, shipped = false): Scenario {
  const { when } = file
  const conditions = when === undefined ? null : conditionsOf(when)
  const expected = file.expect === undefined ? [] : [file.expect].flat()
  return {
    name,
    title: file.title,
    summary: file.summary?.trim() ?? '',
    source,
    shipped,
    operations: new Set(operationsOf(file)),
    conditions,
    specificity: (conditions?.length ?? 0) + (when?.operation === undefined ? 0 : 1),
    ending: endingIn(when),
    script: scriptOf(file),
    expect: expected.map(expectationOf),
    file,
  }
}

function scriptOf(file: ScenarioFile): Script {
  if (file.steps)
    return {
      kind: 'steps',
      steps: file.steps.map(({ times = 1, then }) => ({ times, outcome: outcomeOf(then) })),
      after_last: file.afterLast ?? 'none',
    }
  if (file.choices)
    return {
      kind: 'choices',
      choices: file.choices.map(({ weight, then }) => ({ weight, outcome: outcomeOf(then) })),
    }
  return { kind: 'then', outcome: outcomeOf(file.then ?? {}) }
}

/** The scenarios of a world, stored as one row of its `state` table. */

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

export interface DecisionInput {
  readonly library: Library
  /** The state before the request. */
  readonly state: ScenarioState
  readonly request: ScenarioRequest
  /** The world's generator. Draws depend on the scenario and how often it was used. */
  readonly random: Random
  /** On the world's clock. */
  readonly now: number
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
