/** A piece of a YAML line with its kind and whether it is wrong. */
export interface Piece {
  readonly text: string
  readonly is: 'key' | 'text' | 'number' | 'comment' | 'sign' | 'plain'
  readonly wrong: boolean
}

const TOKENS =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<key>(?:"[^"]*"|'[^']*'|[\w.$-]+)(?=:(?:\s|$)))|(?<text>"(?:[^"\\]|\\.)*"|'[^']*')|(?<number>(?<![\w.-])-?\d+(?:\.\d+)?(?:ms|[smhd])?(?![\w.-]))|(?<sign>[{}[\],:|>]|-(?=\s))/g

/** @param marks - columns with errors, from 0 */
export function painted(line: string, marks: readonly number[] = []): readonly Piece[] {
  const kinds = Array.from<Piece['is']>({ length: line.length }).fill('plain')
  for (const { groups, index, 0: found } of line.matchAll(TOKENS)) {
    const [is] = Object.entries(groups!).find(([, value]) => value !== undefined)!
    kinds.fill(is as Piece['is'], index, index + found.length)
  }
  const wrong = new Set(marks.flatMap((mark) => columnsOf(line, mark)))
  const end = [...wrong].some((column) => column >= line.length)
  const pieces: Piece[] = []
  for (let column = 0; column < line.length; column++) {
    const piece = { text: line[column]!, is: kinds[column]!, wrong: wrong.has(column) }
    const last = pieces.at(-1)
    if (last && last.is === piece.is && last.wrong === piece.wrong)
      pieces[pieces.length - 1] = { ...last, text: last.text + piece.text }
    else pieces.push(piece)
  }
  return end ? [...pieces, { text: ' ', is: 'plain', wrong: true }] : pieces
}

/** The word at a column, or the column itself. */
function columnsOf(line: string, from: number): readonly number[] {
  const long = /^(?:"[^"]*"?|'[^']*'?|[^\s,{}[\]:]+)/.exec(line.slice(from))?.[0].length ?? 1
  return Array.from({ length: long }, (_, n) => Math.min(from, line.length) + n)
}

/** Converts a line and column, counted from 1, to an offset. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    at = end + 1
  }
  const end = text.indexOf('\n', at)
  return Math.min(at + column - 1, end < 0 ? text.length : end)
}

/** Returns the word that a message suggests, and the text it replaces. */
export function mendOf(
  text: string,
  { line, column, message }: { readonly line: number; readonly column: number; readonly message: string },
): { readonly from: number; readonly to: number; readonly word: string } | undefined {
  const word = /\(did you mean ([^?\s]+)\?\)/.exec(message)?.[1]
  const wrong = /"([^"]+)" is /.exec(message)?.[1]
  if (word === undefined || wrong === undefined) return undefined
  const begin = offsetOf(text, line, column)
  const end = text.indexOf('\n', begin)
  const at = text.slice(begin, end < 0 ? undefined : end).indexOf(wrong)
  return at < 0 ? undefined : { from: begin + at, to: begin + at + wrong.length, word }
}

/** The place of the cursor in a YAML text, for completion. */
export interface Place {
  /** The path of keys, without list indices. */
  readonly path: readonly string[]
  readonly kind: 'key' | 'value'
  /** The typed part of the word and its offset. */
  readonly word: string
  readonly from: number
}

interface Level {
  readonly indent: number
  readonly key: string
}

const KEY = /^(["']?)([\w.$-]+)\1:(?:\s+|$)/
const FLOW = /(?<key>[\w.$-]+)(?=:(?:\s|$))|"[^"]*"?|'[^']*'?|[{}[\],]/g
const WORD = /[\w.-]*$/

/** @param at - offset of the cursor */
export function placeAt(text: string, at: number): Place | undefined {
  const lines = text.slice(0, at).split('\n')
  const current = lines.pop()!
  if (/(^|\s)#/.test(current)) return undefined
  const levels: Level[] = []
  for (const line of lines) {
    if (/^\s*(#|$)/.test(line)) continue
    const { indent, rest } = withoutDashes(line)
    const key = KEY.exec(rest)?.[2]
    while (levels.length > 0 && levels.at(-1)!.indent >= indent) levels.pop()
    if (key !== undefined) levels.push({ indent, key })
  }
  const { indent, rest } = withoutDashes(current)
  while (levels.length > 0 && levels.at(-1)!.indent >= indent) levels.pop()
  const path = levels.map(({ key }) => key)
  const word = WORD.exec(current)![0]
  const from = at - word.length
  const own = KEY.exec(rest)
  if (!own && !/[[{]/.test(rest)) return rest === word ? { path, kind: 'key', word, from } : undefined
  const flow = inFlow(own ? rest.slice(own[0].length) : rest)
  return { path: [...path, ...(own ? [own[2]!] : []), ...flow.path], kind: flow.kind, word, from }
}

/** List dashes count as indentation. */
function withoutDashes(line: string): { readonly indent: number; readonly rest: string } {
  const before = /^\s*(?:-\s+)*/.exec(line)![0]
  return { indent: before.length, rest: line.slice(before.length) }
}

/** Parses an open flow mapping such as `{ after: 3s, status: fa`. */
function inFlow(text: string): { readonly path: readonly string[]; readonly kind: Place['kind'] } {
  const open: { readonly map: boolean; key: string | undefined }[] = []
  for (const { 0: piece, groups } of text.matchAll(FLOW)) {
    const inner = open.at(-1)
    if (piece === '{' || piece === '[') open.push({ map: piece === '{', key: undefined })
    else if (piece === '}' || piece === ']') open.pop()
    else if (inner && piece === ',') inner.key = undefined
    else if (inner?.map && groups!['key']) inner.key = piece
  }
  const inner = open.at(-1)
  const path = open.flatMap(({ key }) => (key === undefined ? [] : [key]))
  return { path, kind: inner?.map && inner.key === undefined ? 'key' : 'value' }
}

export interface Schema {
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly type?: string | readonly string[]
}

export interface Proposal {
  readonly word: string
  readonly about: string
}

const MOST = 40

/** Returns the keys and values allowed at a place that start with the typed text. */
export function proposalsFor(root: Schema, { path, kind, word }: Place): readonly Proposal[] {
  let places = spread([root])
  for (const key of path)
    places = spread(
      places.flatMap(({ properties, additionalProperties }) => {
        const found = properties?.[key] ?? additionalProperties
        return typeof found === 'object' ? [found] : []
      }),
    )
  const all = kind === 'key' ? places.flatMap(keysOf) : places.flatMap(valuesOf)
  const unique = [...new Map(all.map((each) => [each.word, each])).values()]
  const typed = word.toLowerCase()
  return unique
    .filter((each) => each.word !== word && each.word.toLowerCase().startsWith(typed))
    .slice(0, MOST)
}

/** Flattens alternatives and list items. */
const spread = (schemas: readonly Schema[]): readonly Schema[] =>
  schemas.flatMap((schema) => [
    schema,
    ...spread([
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.allOf ?? []),
      ...(schema.items ? [schema.items] : []),
    ]),
  ])

const keysOf = ({ properties = {} }: Schema): readonly Proposal[] =>
  Object.entries(properties).map(([word, { description = '' }]) => ({ word, about: description }))

const valuesOf = ({ enum: all, const: only, type, description = '' }: Schema): readonly Proposal[] => {
  const values = all ?? (only === undefined ? (type === 'boolean' ? [true, false] : []) : [only])
  return values
    .filter((value) => value !== null)
    .map((value) => ({ word: String(value), about: all ? '' : description }))
}
