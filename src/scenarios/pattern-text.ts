/**
 * Translates a pattern from JavaScript's syntax into RE2's, so that it matches the same texts. The engine refuses invalid
 * patterns.
 */

/** The reason why a pattern is rejected. The message continues a sentence that starts with the pattern. */
export class PatternIssue extends Error {}

export interface PatternText {
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
export function readPattern(pattern: string): PatternText {
  const size = new Size(PROPERTY_SIZE)
  const instructions = new Size(1)
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
  return { re2, size: size.total, instructions: instructions.total, properties }
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
class Size {
  readonly #property: number
  /** Sizes of the open groups, the innermost last. */
  readonly #open = [0]
  /** The size of the part that a repetition would repeat. */
  #last = 0

  constructor(property: number) {
    this.#property = property
  }

  get total(): number {
    return this.#open.reduce((sum, size) => sum + size, 0)
  }

  add(size: number): void {
    this.#last = size
    this.#open.push(this.#open.pop()! + size)
  }

  count({ property, open, close, repeat, least, most }: Groups): void {
    if (open !== undefined) this.#open.push(0)
    else if (close !== undefined) this.add((this.#open.length > 1 ? this.#open.pop()! : 0) + 2)
    else if (repeat !== undefined) {
      const times = Math.max(1, Number(most || least || 1))
      // Each optional repetition adds a branch.
      const branches = most ? times - Number(least) : 1
      const once = this.#last
      this.add(once * (times - 1) + Math.max(0, branches))
      this.#last = once * times + Math.max(0, branches)
    } else this.add(property === undefined ? 1 : this.#property)
  }
}
