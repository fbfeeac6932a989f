import type * as z from 'zod'
import { andMore, type Issue, issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'

/** An invalid profile. The message has one line per fault. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError'
  readonly issues: readonly Issue[]

  constructor(lines: readonly string[], issues: readonly Issue[] = [], more = 0) {
    super([...lines.slice(0, MOST_TOLD), ...andMore(more + Math.max(0, lines.length - MOST_TOLD))].join('\n'))
    this.issues = issues
  }
}

const LIMITS = { characters: 1_048_576, signs: Infinity }

export type Checked<T> = { readonly file: T } | { readonly issues: readonly Issue[]; readonly more: number }

/** Parses YAML and checks it. @throws {ProfileError} With `file:line:column`. */
export async function readFileWith<T>(
  file: string,
  text: string,
  check: (value: unknown) => Checked<T>,
): Promise<T> {
  const { readYaml } = await import('../lib/text/yaml-text.ts')
  const read = readYaml(text, LIMITS)
  type Line = { readonly line: number; readonly column: number; readonly message: string }
  const lines = (issues: readonly Line[]) =>
    issues
      .toSorted((a, b) => a.line - b.line || a.column - b.column)
      .map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
  if ('issues' in read) throw new ProfileError(lines(read.issues))
  const checked = check(read.value)
  if ('file' in checked) return checked.file
  const placed = checked.issues.map(({ path, on_key, message }) => ({ ...read.place(path, on_key), message }))
  throw new ProfileError(lines(placed), checked.issues, checked.more)
}

/** Reads a file of another schema. @throws {ProfileError} With `file:line:column`. */
export const readChecked = <Schema extends z.ZodType>(file: string, text: string, schema: Schema) =>
  readFileWith(file, text, (value): Checked<z.output<Schema>> => {
    const { success, data, error } = schema.safeParse(value, reporting)
    if (success) return { file: data }
    const { told, more } = issuesOf(error, { name: (path) => String(path.at(-1) ?? 'the plan') })
    return { issues: told, more }
  })
