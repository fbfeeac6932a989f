import type { Library } from './library.ts'

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
