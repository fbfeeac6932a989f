/** The request that samples are written for. */
export interface SampleRequest {
  readonly method: string
  readonly url: string
  /** Formatted JSON, if the request has a body. */
  readonly body: string | undefined
  readonly username: string
  readonly password: string
}

export interface Language {
  readonly name: string
  readonly write: (request: SampleRequest) => string
}

/** A double-quoted string, valid in JavaScript, Python, Java, Go, C# and Ruby. */
export const quoted = (text: string): string => JSON.stringify(text)

/** A single-quoted string that escapes only quotes and backslashes. */
export const single = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Indents all lines except the first. */
export const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

/** How a language writes JSON values. */
export interface Writing {
  readonly text: (text: string) => string
  readonly words: { readonly true: string; readonly false: string; readonly null: string }
  readonly list: readonly [open: string, close: string]
  readonly map: readonly [open: string, between: string, close: string]
  /** The empty object. */
  readonly none: string
}

export function literal(value: unknown, writing: Writing, indent = ''): string {
  const { text, words, list, map, none } = writing
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return words[String(value) as keyof typeof words]
  const inner = `${indent}    `
  const lines = Array.isArray(value)
    ? value.map((each) => literal(each, writing, inner))
    : Object.entries(value).map(([key, each]) => `${text(key)}${map[1]}${literal(each, writing, inner)}`)
  const [open, close] = Array.isArray(value) ? list : [map[0], map[2]]
  if (lines.length === 0) return Array.isArray(value) ? open + close : none
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`
}
