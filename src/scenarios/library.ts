import type { Scenario, Script } from './scenario.ts'
import { expectationOf } from './expect.ts'
import { operationsOf, type ScenarioFile } from './file.ts'
import { outcomeOf } from './then/table.ts'
import { conditionsOf, endingIn } from './when.ts'

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
