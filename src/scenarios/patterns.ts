/**
 * The regular expressions of users, run by an engine whose time is in proportion to the text: RE2. That of JavaScript
 * goes back over the text, and 30 characters can keep it busy, and the whole process with it, for hours.
 */
import { PatternIssue, readPattern } from './pattern-text.ts'

/** Characters of a pattern. */
const LONGEST = 1_000
/** Instructions of a pattern, its repetitions written out. */
const LARGEST = 2_000
/**
 * Instructions by characters: what all patterns together may cost in one look at a request. A text that is more than what
 * is left is taken for one that does not fit. At its slowest the engine takes 0.3 µs a step.
 */
const MOST_STEPS = 100_000
/** Bytes that a pattern may remember of the texts it has seen. */
const REMEMBERED = 65_536

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
  for (const pattern of patternsIn(written)) size += sizeOf(pattern)
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

/** Everything that stands after `matches`. */
function* patternsIn(written: unknown): Generator<unknown, void> {
  const left = new Set([written])
  for (const value of left) {
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, 'matches')) yield (value as { readonly matches: unknown }).matches
    for (const inner of Object.values(value)) left.add(inner)
  }
}

/**
 * The test whether a pattern fits somewhere in a text; the engine must have been loaded.
 * @throws PatternIssue whose message goes on after the pattern: `is not a regular expression: …`
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  if (engine === undefined) throw new Error('the engine of patterns was not loaded')
  if (pattern.length > LONGEST)
    throw new PatternIssue(
      `is too long: a pattern may have ${LONGEST} characters, and this has ${pattern.length}`,
    )
  const { re2, size } = readPattern(pattern)
  if (size > LARGEST)
    throw new PatternIssue(
      `is too large: with its repetitions written out it has about ${size} parts, and ${LARGEST} are the most`,
    )
  const compiled = new engine(engine.UNANCHORED, 0, REMEMBERED)
  try {
    compiled.add(re2)
    compiled.compile()
  } catch (error) {
    throw new PatternIssue(`is not a regular expression: ${reasonOf(error as Error)}`)
  }
  const instructions = compiled.prog.numInst()
  return (text) => {
    const steps = text.length * instructions
    if (steps > left) return false
    left -= steps
    return compiled.match(text).length > 0
  }
}

/** What is wrong with a pattern, in a sentence that begins with it; undefined when nothing is. */
export function patternIssue(pattern: string): string | undefined {
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    if (!(error instanceof PatternIssue)) throw error
    const said = pattern.length > MOST_SHOWN ? `${pattern.slice(0, MOST_SHOWN)}…` : pattern
    return `${JSON.stringify(said)} ${error.message}`
  }
}

const reasonOf = ({ message }: Error) => message.replace(/^error parsing regexp: /, '').replaceAll('`', '')
