/**
 * Regular expressions of users run on RE2, whose time is linear in the text. JavaScript's own engine
 * backtracks, and a pattern of 30 characters can block the process for hours.
 */
import type { TimeSlice } from '../../lib/clock/clock.ts'
import type { FieldPath } from '../../lib/text/field-path.ts'

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
const programs = new Map<string, { readonly program: Program; readonly bytes: number }>()
let bytesOfAll = 0

/** Returns the size of all compiled programs; at most 32 MB. */
export const bytesOfPrograms = (): number => bytesOfAll

function programOf(pattern: string): Program {
  const known = programs.get(pattern)
  if (known) {
    programs.delete(pattern)
    programs.set(pattern, known)
    return known.program
  }
  const program = parsed(readPattern(pattern).re2)
  program.compile()
  const bytes = programBytes(pattern) + REMEMBERED
  programs.set(pattern, { program, bytes })
  bytesOfAll += bytes
  for (const [oldest, { bytes: freed }] of programs) {
    if (bytesOfAll <= PROGRAMS) break
    programs.delete(oldest)
    bytesOfAll -= freed
  }
  return program
}

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
      return programOf(pattern).match(text).length > 0
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

/**
 * Translates a pattern from JavaScript's syntax into RE2's, so that it matches the same texts. The engine refuses invalid
 * patterns.
 */

/** The reason why a pattern is rejected. The message continues a sentence that starts with the pattern. */
class PatternIssue extends Error {}

interface PatternText {
  readonly re2: string
  /** Time that compiling takes, counted in instructions. */
  readonly size: number
  /** Approximate number of instructions that the engine compiles it into. */
  readonly instructions: number
  /** Number of Unicode classes, whose tables every compiled program repeats. */
  readonly properties: number
}

/** The weight of a Unicode class, which compiles as slowly as many letters. */
const PROPERTY_SIZE = 25

/** JavaScript's white space and its complement, as parts of a class. */
const SPACE = String.raw`\t-\r\pZ\x{FEFF}`
const NO_SPACE = [
  String.raw`\x00-\x08\x0E-\x1F!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}`,
  String.raw`\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`,
].join('')
const ANYTHING = String.raw`\x00-\x{10FFFF}`
const NO_LINE_END = String.raw`[^\n\r\x{2028}\x{2029}]`

const CHARACTER = [
  String.raw`(?<property>\\[pP](?:\{[^}]{0,80}\}|[A-Za-z]))`,
  String.raw`\\u\{(?<point>[0-9a-fA-F]{1,6})\}`,
  String.raw`\\u(?<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?<low>[dD][c-fC-F][0-9a-fA-F]{2})`,
  String.raw`\\u(?<unit>[0-9a-fA-F]{4})`,
  String.raw`\\c(?<control>[a-zA-Z])`,
]
/** One token of a pattern. An incomplete longer form is read as literal characters. */
const OUTSIDE = new RegExp(
  [
    ...CHARACTER,
    String.raw`(?<back>\\(?:[1-9]|k<))`,
    String.raw`\((?<look>\?<?[=!])`,
    String.raw`(?<open>\()`,
    String.raw`(?<close>\))`,
    String.raw`(?<repeat>[*+?]|\{(?<least>\d{1,9})(?:,(?<most>\d{0,9}))?\})`,
    String.raw`(?<empty>\[\^?\])`,
    String.raw`(?<begin>\[\^?)`,
    String.raw`\\?[^]`,
  ].join('|'),
  'uy',
)
const INSIDE = new RegExp([...CHARACTER, String.raw`(?<end>\])`, String.raw`\\?[^]`].join('|'), 'uy')

/** @throws {PatternIssue} for features that need backtracking */
function readPattern(pattern: string): PatternText {
  const size = createSize(PROPERTY_SIZE)
  const instructions = createSize(1)
  let properties = 0
  let re2 = ''
  let inClass = false
  for (let at = 0; at < pattern.length;) {
    const signs: RegExp = inClass ? INSIDE : OUTSIDE
    signs.lastIndex = at
    const found = signs.exec(pattern)!
    const [sign] = found
    const groups: Groups = found.groups ?? {}
    at += sign.length
    if (inClass) {
      inClass = groups['end'] === undefined
      if (groups['property'] !== undefined) {
        properties++
        size.add(PROPERTY_SIZE)
      }
      re2 += partOf(sign, groups)
      continue
    }
    if (groups['look'] !== undefined) refuse(`a look-${sign.includes('<') ? 'behind' : 'ahead'}, ${sign}`)
    if (groups['back'] !== undefined) refuse(`a back-reference, ${sign}`)
    if (groups['property'] !== undefined) properties++
    size.count(groups)
    instructions.count(groups)
    inClass = groups['begin'] !== undefined
    re2 += aloneOf(sign, groups)
  }
  return { re2, size: size.total(), instructions: instructions.total(), properties }
}

function refuse(what: string): never {
  throw new PatternIssue(
    `has ${what}, which is not supported: patterns use RE2, which runs in linear time and therefore has no look-around and no back-references`,
  )
}

type Groups = { readonly [name: string]: string | undefined }

function aloneOf(sign: string, groups: Groups): string {
  if (sign === '.') return NO_LINE_END
  if (sign === '\\s') return `[${SPACE}]`
  if (sign === '\\S') return `[^${SPACE}]`
  if (groups['empty'] !== undefined) return sign === '[]' ? `[^${ANYTHING}]` : `[${ANYTHING}]`
  return characterOf(sign, groups)
}

function partOf(sign: string, groups: Groups): string {
  if (sign === '\\s') return SPACE
  if (sign === '\\S') return NO_SPACE
  if (sign === '\\b') return String.raw`\x08`
  // In RE2, an unescaped bracket may start a nested class such as [:alpha:].
  if (sign === '[') return String.raw`\[`
  return characterOf(sign, groups)
}

function characterOf(sign: string, { property, point, high, low, unit, control }: Groups): string {
  if (property !== undefined) return property.replace(/\{(?:Script|sc|General_Category|gc)=/, '{')
  const hex = point ?? unit
  if (hex !== undefined) return `\\x{${hex}}`
  if (high !== undefined) {
    const pair = String.fromCharCode(parseInt(high, 16), parseInt(low!, 16))
    return `\\x{${pair.codePointAt(0)!.toString(16)}}`
  }
  if (control !== undefined) return `\\x{${(control.toUpperCase().charCodeAt(0) - 64).toString(16)}}`
  if (sign === '\\0') return String.raw`\x00`
  return sign === '\\/' ? '/' : sign
}

/** Estimates the size of a pattern with its repetitions expanded. */
function createSize(ofProperty: number) {
  /** Sizes of the open groups, the innermost last. */
  const groups = [0]
  /** The size of the part that a repetition would repeat. */
  let last = 0
  const add = (size: number) => {
    last = size
    groups.push(groups.pop()! + size)
  }
  return {
    total: () => groups.reduce((sum, size) => sum + size, 0),
    add,
    count({ property, open, close, repeat, least, most }: Groups): void {
      if (open !== undefined) groups.push(0)
      else if (close !== undefined) add((groups.length > 1 ? groups.pop()! : 0) + 2)
      else if (repeat !== undefined) {
        const times = Math.max(1, Number(most || least || 1))
        // Each optional repetition adds a branch.
        const branches = most ? times - Number(least) : 1
        const once = last
        add(once * (times - 1) + Math.max(0, branches))
        last = once * times + Math.max(0, branches)
      } else add(property === undefined ? 1 : ofProperty)
    },
  }
}
