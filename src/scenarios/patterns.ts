/**
 * Regular expressions of users run on RE2, whose time is linear in the text. JavaScript's own engine
 * backtracks, and a pattern of 30 characters can block the process for hours.
 */
import type { TimeSlice } from '../lib/clock/time-slice.ts'
import type { FieldPath } from '../lib/text/field-path.ts'
import { PatternIssue, type PatternText, readPattern } from './pattern-text.ts'

/** Maximum number of characters in a pattern. */
const LONGEST = 1_000
/** Maximum number of instructions in a pattern with its repetitions expanded. */
const LARGEST = 2_000
/**
 * Maximum cost of all patterns per request, in instructions times characters. Once it is used up, patterns
 * match nothing. The engine takes at most 0.3 µs per step.
 */
const MOST_STEPS = 100_000
/** Bytes of matching state that a program may cache. */
const REMEMBERED = 16_384
/** Measured bytes per instruction of a compiled program. */
const INSTRUCTION = 600
/** Bytes of the tables of a Unicode class in a compiled program. */
const PROPERTY = 6_000
/** Maximum number of bytes of all compiled programs, across worlds. */
const PROGRAMS = 33_554_432

/** Characters of a pattern shown in messages. */
const MOST_SHOWN = 80

type Engine = typeof import('re2js').RE2Set
let engine: Engine | undefined
/** Steps left for the current request. One counter suffices, since matching is synchronous. */
let left = MOST_STEPS

/** Resets the budget of steps. Call it before checking the conditions of a request. */
export function beginLook(): void {
  left = MOST_STEPS
}

/** Loads the engine. Most sandboxes never run a pattern, so the start does not load it. */
export async function loadPatterns(): Promise<void> {
  engine ??= (await import('re2js')).RE2Set
}

/** Loads the engine if a value contains a pattern. */
export async function loadPatternsFor(written: unknown): Promise<void> {
  if (engine === undefined && hasPattern(written)) await loadPatterns()
}

/** Whether a value contains `matches` at any depth. */
export function hasPattern(written: unknown): boolean {
  return !patternsIn(written).next().done
}

/** Reports a set of conditions whose patterns are too large together, or undefined if they are not. */
export function patternsIssue(written: unknown): string | undefined {
  let size = 0
  for (const [pattern] of patternsIn(written)) size += sizeOf(pattern)
  return size > LARGEST
    ? `has patterns that are too large together: about ${size} parts, at most ${LARGEST}`
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

/** Yields each operand of `matches` with its path. */
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

type Program = InstanceType<Engine>

/**
 * Compiled programs of all worlds. The least recently used ones are discarded and compiled again when needed.
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

/** Returns the size of all compiled programs; at most 32 MB. */
export const bytesOfPrograms = (): number => programs.bytes

function programBytes(pattern: string): number {
  const { instructions, properties } = readPattern(pattern)
  return INSTRUCTION * instructions + PROPERTY * properties
}

/** A pattern with its path and the size of its compiled program. */
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
 * Returns a test whether a text matches a pattern. The engine must be loaded; the pattern is compiled on
 * first use. A pattern that an earlier version accepted and this one rejects matches nothing.
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

/**
 * @throws {PatternIssue} with a message that continues after the pattern: `is not a regular expression: …`
 */
function checkPattern(pattern: string): PatternText {
  if (pattern.length > LONGEST)
    throw new PatternIssue(`is too long: ${pattern.length} characters, at most ${LONGEST}`)
  const read = readPattern(pattern)
  const { size } = read
  if (size > LARGEST)
    throw new PatternIssue(
      `is too large: about ${size} parts with its repetitions expanded, at most ${LARGEST}`,
    )
  return read
}

/** @throws {PatternIssue} if the pattern is not a regular expression */
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

/** Describes the issue of a pattern, or undefined if it is valid. */
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
