/** Reads untrusted YAML in linear time, within limits. */
import type { FieldPath } from './field-path.ts'
import type { Checked, Issue } from './validation-messages.ts'
import type { Document, Node } from 'yaml'
import { isMap, isPair, isScalar, Lexer, LineCounter, parseDocument, stringify, visit } from 'yaml'

interface YamlPlace {
  readonly line: number
  readonly column: number
}

export interface YamlIssue extends YamlPlace {
  readonly message: string
}

export interface YamlText {
  readonly value: unknown
  /** Returns where the node at a path, or its key, begins; of the closest parent if it does not exist. */
  readonly place: (path: FieldPath, onKey?: boolean) => YamlPlace
}

export interface YamlLimits {
  readonly characters: number
  /** Maximum number of tokens: lines, brackets, commas, words and so on. */
  readonly signs: number
}

/** Maximum nesting within a line or within brackets. */
const DEEPEST = 100
/** Each alias is searched for in the whole text. */
const MOST_ALIASES = 50

/** @returns the parsed text, or its issues */
export function readYaml(text: string, limits: YamlLimits): YamlText | { readonly issues: YamlIssue[] } {
  const lines = new LineCounter()
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const tooMuch = excess(text, limits)
  if (tooMuch !== undefined) return { issues: [{ line: 1, column: 1, message: tooMuch }] }
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
    const issues = [
      ...document.errors.map(({ pos, message }) => ({ offset: pos[0], message: message.split('\n')[0]! })),
      ...repeatedKeys(document),
    ]
    if (issues.length > 0)
      return { issues: issues.map(({ offset, message }) => ({ ...place(offset), message })) }
    return {
      value: document.toJS(),
      place: (path, onKey = false) => place(offsetOf(document, path, onKey)),
    }
  } catch (error) {
    return { issues: [{ line: 1, column: 1, message: (error as Error).message }] }
  }
}

/** Parses a text and checks its value. Issues have the place of their field, and no path if the text is no YAML. */
export function checkedYaml<T>(
  text: string,
  limits: YamlLimits,
  check: (value: unknown) => Checked<T>,
): Checked<T, Issue & YamlPlace> {
  const read = readYaml(text, limits)
  if ('issues' in read) return { issues: read.issues.map((issue) => ({ ...issue, path: [] })), more: 0 }
  const found = check(read.value)
  if ('file' in found) return found
  const issues = found.issues.map((issue) => ({ ...issue, ...read.place(issue.path, issue.on_key) }))
  return { issues, more: found.more }
}

/** Formats a value as YAML without wrapping lines. */
export const writeYaml = (value: unknown): string => stringify(value, { lineWidth: 0 })

function excess(text: string, { characters, signs }: YamlLimits): string | undefined {
  if (text.length > characters)
    return `the text is too long: it has ${text.length} characters, and ${characters} are the most`
  let count = 0
  let aliases = 0
  let brackets = 0
  let dashes = 0
  for (const sign of new Lexer().lex(text)) {
    if (++count > signs)
      return `there is too much in the text: more than ${signs} lines, words, brackets and other signs of YAML`
    if (sign[0] === '*' && ++aliases > MOST_ALIASES)
      return `there are too many aliases: more than ${MOST_ALIASES}`
    if (sign === '[' || sign === '{') brackets++
    else if (sign === ']' || sign === '}') brackets--
    else if (sign === '-' || sign === '?') dashes++
    else if (sign[0] === '\n' || sign[0] === '\r') dashes = 0
    if (Math.max(brackets, dashes) > DEEPEST)
      return `the text is nested too deeply: more than ${DEEPEST} lists and maps in one another`
  }
  return undefined
}

/** The library's own check takes quadratic time. */
function repeatedKeys(document: Document.Parsed): { offset: number; message: string }[] {
  const repeated: { offset: number; message: string }[] = []
  visit(document, {
    Map(_, map) {
      if (!isMap(map)) return
      const seen = new Set<unknown>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value))
          repeated.push({ offset: (key as Node).range?.[0] ?? 0, message: 'Map keys must be unique' })
        seen.add(key.value)
      }
    },
  })
  return repeated
}

function offsetOf(document: Document.Parsed, path: FieldPath, onKey: boolean): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
      )
      if (!pair) break
      const key = pair.key as Node
      const value = pair.value as Node | null
      const last = depth === path.length - 1
      offset = (last && onKey ? key.range?.[0] : (value?.range?.[0] ?? key.range?.[0])) ?? offset
      node = value
    } else {
      const item = (node as { items?: readonly unknown[] } | null)?.items?.[Number(step)] as Node | undefined
      if (!item) break
      offset = item.range?.[0] ?? offset
      node = item
    }
  }
  return offset
}

/** Like `writeYaml`, without aliases for repeated objects. */
export const yamlOf = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
