/** A request as programs are written of it. */
export interface SampleRequest {
  readonly method: string
  readonly url: string
  /** JSON over lines, or nothing. */
  readonly body: string | undefined
  readonly username: string
  readonly password: string
}

export interface Language {
  readonly name: string
  readonly write: (request: SampleRequest) => string
}

/** A text in double quotes, as JavaScript, Python, Java, Go, C# and Ruby take it alike. */
export const quoted = (text: string): string => JSON.stringify(text)

/** A text in single quotes, in which only these and the backslash mean something. */
export const single = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Lines further in, but for the first. */
export const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

/** A value as a language writes it, over lines. */
export interface Writing {
  readonly text: (text: string) => string
  readonly words: { readonly true: string; readonly false: string; readonly null: string }
  readonly list: readonly [open: string, close: string]
  readonly map: readonly [open: string, between: string, close: string]
  /** What an object without fields is. */
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
