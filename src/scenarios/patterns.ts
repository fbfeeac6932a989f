/**
 * The regular expressions of users, run by an engine whose time is in proportion to the text: RE2. That of JavaScript
 * goes back over the text, and 30 characters can keep it busy, and the whole process with it, for hours.
 */
import type { TimeSlice } from '../lib/clock/time-slice.ts'
import type { FieldPath } from '../lib/text/field-path.ts'
import { PatternIssue, type PatternText, readPattern } from './pattern-text.ts'

/** Characters of a pattern. */
const LONGEST = 1_000
/** Instructions of a pattern, its repetitions written out. */
const LARGEST = 2_000
/**
 * Instructions by characters: what all patterns together may cost in one look at a request. A text that is more than what
 * is left is taken for one that does not fit. At its slowest the engine takes 0.3 µs a step.
 */
const MOST_STEPS = 100_000
/** Bytes that a program may keep of the texts it has seen. */
const REMEMBERED = 16_384
/** Bytes of an instruction of a compiled program, measured. */
const INSTRUCTION = 600
/** Bytes of the tables of a Unicode class in a compiled program. */
const PROPERTY = 6_000
/** Bytes that the compiled programs of all worlds take together. */
const PROGRAMS = 33_554_432

/** Characters of a pattern that a message repeats. */
const MOST_SHOWN = 80

type Engine = typeof import('re2js').RE2Set
let engine: Engine | undefined
/** How many of `MOST_STEPS` are left for the request that is being looked at. Looking never waits, so that there is only one. */
let left = MOST_STEPS

/** To be called before the conditions of scenarios are checked for a request: its patterns may take `MOST_STEPS` steps. */
export function beginLook(): void {
  left = MOST_STEPS
}

/** Loads the engine. A start does without it, since most sandboxes never run a pattern. */
export async function loadPatterns(): Promise<void> {
  engine ??= (await import('re2js')).RE2Set
}

/** Loads it when something that is to be compiled has a pattern in it. */
export async function loadPatternsFor(written: unknown): Promise<void> {
  if (engine === undefined && hasPattern(written)) await loadPatterns()
}

/** Whether `matches` stands anywhere in it. */
export function hasPattern(written: unknown): boolean {
  return !patternsIn(written).next().done
}

/**
 * What is wrong with all patterns of a set of conditions together, which are compiled and run one after another; undefined
 * when nothing is. What is wrong with one by itself `patternIssue` tells.
 */
export function patternsIssue(written: unknown): string | undefined {
  let size = 0
  for (const [pattern] of patternsIn(written)) size += sizeOf(pattern)
  return size > LARGEST
    ? `has patterns that are too large together: they have about ${size} parts, and ${LARGEST} are the most`
    : undefined
}

function sizeOf(pattern: unknown): number {
  try {
    const size = typeof pattern === 'string' && pattern.length <= LONGEST ? readPattern(pattern).size : 0
    return size > LARGEST ? 0 : size
  } catch (error) {
    if (error instanceof PatternIssue) return 0
    throw error
  }
}

/** Everything that stands after `matches`, and where. */
function* patternsIn(written: unknown): Generator<readonly [pattern: unknown, path: FieldPath], void> {
  const left: [unknown, FieldPath][] = [[written, []]]
  for (const [value, path] of left) {
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'matches') yield [inner, [...path, name]]
      left.push([inner, [...path, name]])
    }
  }
}

/** What a text is matched with. */
type Program = InstanceType<Engine>

/**
 * The compiled programs of all worlds, each text once. The least recently used go first; a pattern whose program has gone is compiled
 * again when it is next needed.
 */
class ProgramCache {
  readonly #kept = new Map<string, { readonly program: Program; readonly bytes: number }>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  has(pattern: string): boolean {
    return this.#kept.has(pattern)
  }

  get(pattern: string): Program {
    const known = this.#kept.get(pattern)
    if (known) {
      this.#kept.delete(pattern)
      this.#kept.set(pattern, known)
      return known.program
    }
    const program = parsed(readPattern(pattern).re2)
    program.compile()
    const bytes = programBytes(pattern) + REMEMBERED
    this.#kept.set(pattern, { program, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= PROGRAMS) break
      this.#kept.delete(oldest)
      this.#bytes -= freed
    }
    return program
  }
}

const programs = new ProgramCache()

/** Returns the bytes that the compiled programs of all worlds take; at most 32 MB. */
export const bytesOfPrograms = (): number => programs.bytes

function programBytes(pattern: string): number {
  const { instructions, properties } = readPattern(pattern)
  return INSTRUCTION * instructions + PROPERTY * properties
}

/** A pattern among conditions, where it is, and the bytes that its program takes. */
interface PlacedProgram {
  readonly pattern: string
  readonly path: FieldPath
  readonly bytes: number
}

/** Returns the patterns of conditions that can be compiled. */
export const programsIn = (written: unknown): readonly PlacedProgram[] =>
  [...patternsIn(written)].flatMap(([pattern, path]) =>
    typeof pattern === 'string' && sizeOf(pattern) > 0
      ? [{ pattern, path, bytes: programBytes(pattern) }]
      : [],
  )

/** Compiles the patterns of conditions that are not compiled yet, in time slices. */
export async function compilePatterns(written: unknown, slice: TimeSlice): Promise<void> {
  for (const { pattern } of programsIn(written)) {
    if (programs.has(pattern)) continue
    if (slice.over) await slice.next()
    testOf(pattern)('')
  }
}

/**
 * Returns the test whether a pattern fits somewhere in a text; the engine must have been loaded. The pattern is compiled when the test
 * runs first. One that an earlier version accepted and that is refused now fits nothing, so that its world goes on.
 */
export function testOf(pattern: string): (text: string) => boolean {
  let instructions: number | undefined
  return (text) => {
    try {
      instructions ??= checkPattern(pattern).instructions
      const steps = (text.length || 1) * instructions
      if (steps > left) return false
      left -= steps
      return programs.get(pattern).match(text).length > 0
    } catch (error) {
      if (error instanceof PatternIssue) return false
      throw error
    }
  }
}

/** @throws PatternIssue whose message goes on after the pattern: `is not a regular expression: …` */
function checkPattern(pattern: string): PatternText {
  if (pattern.length > LONGEST)
    throw new PatternIssue(
      `is too long: a pattern may have ${LONGEST} characters, and this has ${pattern.length}`,
    )
  const read = readPattern(pattern)
  const { size } = read
  if (size > LARGEST)
    throw new PatternIssue(
      `is too large: with its repetitions written out it has about ${size} parts, and ${LARGEST} are the most`,
    )
  return read
}

/** @throws PatternIssue for what is no regular expression */
function parsed(re2: string): Program {
  if (engine === undefined) throw new Error('the engine of patterns was not loaded')
  const program = new engine(engine.UNANCHORED, 0, REMEMBERED)
  try {
    program.add(re2)
  } catch (error) {
    throw new PatternIssue(`is not a regular expression: ${reasonOf(error as Error)}`)
  }
  return program
}

/** What is wrong with a pattern, in a sentence that begins with it; undefined when nothing is. */
export function patternIssue(pattern: string): string | undefined {
  try {
    const { re2 } = checkPattern(pattern)
    if (!programs.has(pattern)) parsed(re2)
    return undefined
  } catch (error) {
    if (!(error instanceof PatternIssue)) throw error
    const said = pattern.length > MOST_SHOWN ? `${pattern.slice(0, MOST_SHOWN)}…` : pattern
    return `${JSON.stringify(said)} ${error.message}`
  }
}

const reasonOf = ({ message }: Error) => message.replace(/^error parsing regexp: /, '').replaceAll('`', '')
