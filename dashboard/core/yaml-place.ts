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
