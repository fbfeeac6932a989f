/** Turns zod issues into messages: the field, what it must be, what it is, and a suggestion. */
import type { z } from 'zod'
import type { FieldPath } from './field-path.ts'
import { isSecretPath, redacted } from '../log/redact.ts'
import { shown } from './shown.ts'
import { didYouMean, suggestion } from './suggest.ts'

type ZodIssue = z.core.$ZodIssue

export interface Issue {
  readonly path: FieldPath
  readonly message: string
  /** Whether it concerns the last key of the path instead of its value. */
  readonly on_key?: boolean
}

/** Returns an issue about the last key of a path, as a list. */
export const onKey = (path: FieldPath, message: string): readonly Issue[] => [{ path, on_key: true, message }]

/** How the issues of one kind of data are phrased. */
export interface Telling {
  /** Returns the name of the value at a path; empty if the message appears next to its place. */
  readonly name: (path: FieldPath) => string
  /** Returns the field that was sent instead of a missing one. */
  readonly insteadOf?: ((path: FieldPath) => string | undefined) | undefined
  /** Whether the message about a missing word lists the accepted ones. */
  readonly listsWords?: boolean
  /** Formats a value. Not called for secrets. */
  readonly shown?: ((value: unknown) => string) | undefined
}

/** Maximum number of issues reported. */
export const MOST_TOLD = 20

/**
 * The options of a parse whose issues are reported. A schema's own message is either what follows the name (`must be three digits`)
 * or a whole sentence.
 */
export const reporting = {
  reportInput: true,
  error: (issue: z.core.$ZodRawIssue): string => expectation(issue),
} as const

/**
 * Returns the first issues in the order of their fields, and the number of further ones.
 * @param error - Of a parse with `reporting`.
 */
export function issuesOf(
  { issues }: z.ZodError,
  telling: Telling,
): { readonly told: readonly Issue[]; readonly more: number } {
  const all = issues.flatMap((issue) => leavesOf(issue, []))
  const told = all.slice(0, MOST_TOLD).map(({ path, on_key, ...leaf }) => ({
    path,
    ...(on_key && { on_key }),
    message: sentence(leaf, telling, path),
  }))
  return { told, more: all.length - told.length }
}

/** A valid file, or its first issues and the number of the others. */
export type Checked<T, Wrong = Issue> =
  | { readonly file: T }
  | { readonly issues: readonly Wrong[]; readonly more: number }

/** Checks a value against a schema. @param name - As in `Telling`. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: Telling['name'],
): Checked<z.output<Schema>> {
  const { success, data, error } = schema.safeParse(value, reporting)
  if (success) return { file: data }
  const { told, more } = issuesOf(error, { name })
  return { issues: told, more }
}

/** The last part of a path: issues of a file have a line and column. */
export const lastOf = (path: FieldPath): string => String(path.at(-1) ?? '')

export function issuesText(error: z.ZodError, telling: Telling): string {
  const { told, more } = issuesOf(error, telling)
  return toldOf(told, ({ message }) => message, more).join('; ')
}

/** Formats the first issues, and the number of further ones including `more`. */
export function toldOf<Each>(
  issues: readonly Each[],
  say: (issue: Each) => string,
  more = 0,
): readonly string[] {
  const rest = more + Math.max(0, issues.length - MOST_TOLD)
  return [...issues.slice(0, MOST_TOLD).map(say), ...andMore(rest)]
}

export const andMore = (more: number): readonly string[] => (more > 0 ? [`and ${more} more`] : [])

interface Leaf {
  readonly path: FieldPath
  readonly on_key?: boolean
  readonly message: string
  readonly input?: unknown
  readonly missing?: boolean
  /** The accepted words. */
  readonly words?: readonly string[]
}

/** Flattens an issue: of a union, the branch that was probably meant; of unknown keys, one issue each. */
function leavesOf(issue: ZodIssue, before: FieldPath): readonly Leaf[] {
  const path = [...before, ...(issue.path as FieldPath)]
  const { message, input } = issue
  if (issue.code === 'unrecognized_keys') {
    const messages = message.split('\n')
    return issue.keys.map((key, n) => ({
      path: [...path, key],
      on_key: true,
      message: messages[n] ?? STRANGE,
    }))
  }
  const branch = issue.code === 'invalid_union' ? branchMeant(issue) : undefined
  if (branch) return branch.flatMap((inner) => leavesOf(inner, path))
  if (issue.code === 'custom' && issue.params?.['onKey']) return [{ path, on_key: true, message }]
  const words = issue.code === 'invalid_value' ? issue.values.map(String) : []
  return [{ path, message, input, missing: input === undefined && path.length > 0, words }]
}

/**
 * Returns the branch of a union that was probably meant: one that lists words if a word was given, or one that accepts this kind of
 * value and found an error within it. Undefined if the union has a message of its own and no branch fits.
 */
function branchMeant(union: Extract<ZodIssue, { code: 'invalid_union' }>): readonly ZodIssue[] | undefined {
  const branches = union.errors.filter((issues) => issues.length > 0).toSorted((a, b) => a.length - b.length)
  const words =
    typeof union.input === 'string'
      ? branches.find((issues) => issues.some(namesWords(union.message === '')))
      : undefined
  return (
    words ??
    branches.find((issues) => !issues.some(isAtRoot)) ??
    (union.message === '' ? branches[0] : undefined)
  )
}

/** @param plainly - Whether schemas without their own message count. */
const namesWords =
  (plainly: boolean) =>
  ({ code, message }: ZodIssue): boolean =>
    code === 'invalid_value' && (plainly || message.includes(' is not '))

const isAtRoot = ({ path, code }: ZodIssue) => path.length === 0 && code !== 'unrecognized_keys'

/** The message continues a sentence that begins with the name; otherwise it is a whole sentence. */
const predicate = /^(must|is) /

function sentence(
  { message, input, missing, words = [] }: Omit<Leaf, 'path' | 'on_key'>,
  { name, insteadOf, listsWords, shown: show = shown }: Telling,
  path: FieldPath,
): string {
  if (missing) {
    const sent = insteadOf?.(path)
    const accepted = listsWords && words.length > 0 ? `: ${words.join(', ')}` : ''
    return `${name(path)} is required${accepted}${sent === undefined ? '' : `, got ${sent} instead`}`
  }
  const named = predicate.test(message) ? `${name(path)} ${message}`.trimStart() : message
  if (!message.startsWith('must ')) return named
  if (isSecretPath(path)) return `${named}, got ${redacted}`
  if (input === Infinity || input === -Infinity)
    return `${named}, got one ${input > 0 ? 'above 1.8e308' : 'below -1.8e308'}`
  return `${named}, got ${show(input)}${typeof input === 'string' ? didYouMean(input, words) : ''}`
}

const STRANGE = 'is not known here'

/** Returns the expected format, such as `safeint` or `email`. */
const formatOf = ({ inst }: z.core.$ZodRawIssue): string | undefined =>
  (inst as { readonly def?: { readonly format?: string } } | undefined)?.def?.format

const articles: { readonly [type: string]: string } = {
  int: 'a whole number',
  safeint: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
  record: 'an object',
}

/** Returns the message for a schema without its own; empty for a union, whose branches have messages. */
function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_union':
      // No branch is tried if the field that selects one has an unknown value.
      return Array.isArray(issue['options']) ? `must be one of ${issue['options'].join(', ')}` : ''
    case 'unrecognized_keys':
      return strangeKeys(issue)
    case 'invalid_type':
      return `must be ${articles[formatOf(issue) ?? ''] ?? articles[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => String(value)).join(', ')}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return `must be ${amountOf(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`
    case 'too_big':
      return `must be ${amountOf(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`
    case 'invalid_format':
      if (issue.format === 'regex') return `must match ${issue.pattern}`
      return `must be ${formats[issue.format] ?? `a valid ${issue.format}`}`
    default:
      return `must be a valid value (${issue.code})`
  }
}

/** Returns a line for each of the first unknown keys, with a suggestion. */
function strangeKeys({ keys, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const { shape } = (inst ?? {}) as { readonly shape?: object }
  const known = Object.keys(shape ?? {})
  return keys
    .slice(0, MOST_TOLD)
    .map((key) => STRANGE + suggestion(key, known))
    .join('\n')
}

const formats: { readonly [format: string]: string } = {
  url: 'an http or https URL',
  email: 'an e-mail address',
  datetime: 'an ISO 8601 date-time such as 2026-06-30T00:44:53Z',
  date: 'an ISO 8601 date such as 2026-06-30',
  uuid: 'a UUID',
}

function amountOf(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `${relation} ${limit} characters long`
  if (origin === 'array') return `${relation} ${limit} items long`
  return `${relation} ${limit}`
}
