import type * as z from 'zod'
import {
  andMore,
  type Checked,
  checked,
  type Issue,
  lastOf,
  MOST_TOLD,
} from '../lib/text/validation-messages.ts'

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

/** Parses YAML and checks it. @throws {ProfileError} With `file:line:column`. */
export async function readFileWith<T>(
  file: string,
  text: string,
  check: (value: unknown) => Checked<T>,
): Promise<T> {
  const read = (await import('../lib/text/yaml-text.ts')).checkedYaml(text, LIMITS, check)
  if ('file' in read) return read.file
  const lines = read.issues
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
  throw new ProfileError(lines, read.issues, read.more)
}

/** Reads a file of another schema. @throws {ProfileError} With `file:line:column`. */
export const readChecked = <Schema extends z.ZodType>(file: string, text: string, schema: Schema) =>
  readFileWith(file, text, (value) => checked(schema, value, (path) => lastOf(path) || 'the plan'))
