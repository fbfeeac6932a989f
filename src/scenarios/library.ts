import type { Scenario } from './scenario.ts'

/** The scenarios that requests of one operation can find by what they are like. */
interface Shelf {
  /** Those that ask for a magic number, by its ending. */
  readonly magic: ReadonlyMap<string, readonly Scenario[]>
  readonly others: readonly Scenario[]
}

/** Scenarios by name and by operation, so that a request meets none of those of other operations. */
export interface Library {
  readonly byName: ReadonlyMap<string, Scenario>
  readonly shelves: ReadonlyMap<string, Shelf>
}

/** Later scenarios replace earlier ones of the same name. */
export function libraryOf(scenarios: Iterable<Scenario>): Library {
  const byName = new Map<string, Scenario>()
  for (const scenario of scenarios) byName.set(scenario.name, scenario)
  const shelves = new Map<string, { magic: Map<string, Scenario[]>; others: Scenario[] }>()
  for (const scenario of [...byName.values()].sort(bySpecificity)) {
    if (scenario.conditions === null) continue
    for (const operation of scenario.operations) {
      let shelf = shelves.get(operation)
      if (!shelf) shelves.set(operation, (shelf = { magic: new Map(), others: [] }))
      if (scenario.magic === null) shelf.others.push(scenario)
      else shelf.magic.set(scenario.magic, [...(shelf.magic.get(scenario.magic) ?? []), scenario])
    }
  }
  return { byName, shelves }
}

/** More conditions come first, then those of the user's own, then the name. */
export const bySpecificity = (a: Scenario, b: Scenario) =>
  b.specificity - a.specificity ||
  Number(a.shipped) - Number(b.shipped) ||
  (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** How many sets of scenarios a process remembers: each reload of the files makes another. */
const KEPT = 16

const numbers = new WeakMap<Library, number>()
const recent = new Map<number, Library>()
let last = 0

/** The number of a set of scenarios in this process: what a record says instead of holding all of them. */
export function versionOf(library: Library): number {
  const known = numbers.get(library)
  if (known !== undefined) return known
  last += 1
  numbers.set(library, last)
  recent.set(last, library)
  recent.delete(last - KEPT)
  return last
}

/** The scenarios of a number; undefined when they were too long ago, or another process's. */
export const libraryOfVersion = (version: number): Library | undefined => recent.get(version)
