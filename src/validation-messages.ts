/** What a schema refuses of a value, in words: the field, what it must be, and what it is. */
import type { z } from 'zod'

type ZodIssue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** What is wrong in a value, and where. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** It is about the last key of the path, not its value. */
  readonly on_key?: boolean
}

export interface Wording {
  /** What the whole value is called. */
  readonly whole: string
  /** The field that was sent in place of a missing one. */
  readonly insteadOf?: ((path: Path) => string | undefined) | undefined
}

/** How many issues of a value are told. */
const MOST_TOLD = 20

/**
 * What is wrong with a value, in the order of its fields: the first issues, and how many there are beside them.
 * @param error of a parse that reports its input
 */
export function validationIssues(
  { issues }: z.ZodError,
  wording: Wording,
): { readonly told: readonly Issue[]; readonly more: number } {
  const told: Issue[] = []
  let looked = 0
  for (; looked < issues.length && told.length < MOST_TOLD; looked++)
    told.push(...issuesOf(issues[looked]!, wording).slice(0, MOST_TOLD - told.length))
  return { told, more: issues.length - looked }
}

/** The issues in a sentence. */
export function validationMessage(error: z.ZodError, wording: Wording): string {
  const { told, more } = validationIssues(error, wording)
  return [...told.map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function issuesOf(issue: ZodIssue, wording: Wording): Issue[] {
  // Of a union's branches, the one that got furthest says best what is wrong.
  if (issue.code === 'invalid_union') {
    const closest = issue.errors.toSorted((a, b) => atRoot(a) - atRoot(b) || a.length - b.length)[0]
    if (closest && closest.length > 0)
      return closest.flatMap((inner) =>
        issuesOf({ ...inner, path: [...issue.path, ...inner.path] } as ZodIssue, wording),
      )
  }
  const path = issue.path as Issue['path']
  const { input } = issue
  const name = fieldName(path) || wording.whole
  if (input !== undefined) return [{ path, message: `${name} ${expectation(issue)}, got ${shown(input)}` }]
  const sent = wording.insteadOf?.(path)
  return [{ path, message: `${name} is required${sent === undefined ? '' : `, got ${sent} instead`}` }]
}

/** Whether a branch did not even take the value's type; one that found an issue deeper inside says more. */
const atRoot = (issues: readonly ZodIssue[]) => Number(issues.some(({ path }) => path.length === 0))

const fieldName = (path: Path) =>
  path.reduce<string>(
    (name, key) =>
      typeof key === 'number'
        ? `${name}[${key}]`
        : name
          ? `${name}.${shortened(String(key))}`
          : shortened(String(key)),
    '',
  )

const articles: { [type: string]: string } = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
  record: 'an object',
}

function expectation(issue: ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${articles[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => String(value)).join(', ')}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return `must be ${amountOf(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`
    case 'too_big':
      return `must be ${amountOf(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`
    case 'invalid_format':
      // A reader of our own says in words what its pattern asks for.
      if (issue.format === 'regex')
        return issue.message.startsWith('must') ? issue.message : `must match ${issue.pattern}`
      return `must be ${formats[issue.format] ?? `a valid ${issue.format}`}`
    default:
      return issue.message
  }
}

const formats: { [format: string]: string } = {
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

const LONGEST_SHOWN = 80

/** A value as messages show it: as JSON, and shortened. */
export function shown(input: unknown): string {
  if (typeof input === 'number') return String(input)
  // Only the beginning is shown: the rest need not be written first.
  return shortened(jsonOf(typeof input === 'string' ? input.slice(0, LONGEST_SHOWN + 1) : input))
}

const shortened = (text: string) => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)

function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? 'nothing'
  } catch {
    // Nested deeper than the stack can follow.
    return Array.isArray(input) ? '[…]' : '{…}'
  }
}
