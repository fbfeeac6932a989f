/** Predicates of scenario files and of request log queries: a value, a list, or a map of tests. */
import * as z from 'zod'
import { fieldPath, type FieldPath } from '../../lib/text/field-path.ts'
import { lazy } from '../../lib/lazy.ts'
import { type Issue, issuesOf, reporting } from '../../lib/text/validation-messages.ts'
import { endingOf } from '../../service/domain/countries/countries.ts'
import { loadPatternsFor, patternIssue, testOf } from './patterns.ts'
import { number, optional, text, words } from '../../lib/text/word-schemas.ts'

/** A test of one value with its description: `must start with 2547`. */
export interface Test {
  readonly holds: (value: unknown) => boolean
  readonly must: string
}

interface TestWord<Operand> {
  readonly description: string
  /** Built when the first file is validated. */
  readonly schema: () => z.ZodType<Operand>
  test(operand: Operand): Test
  /** Reports issues of an operand beyond its schema. */
  check?(operand: Operand, field: string): Omit<Issue, 'path'> | undefined
}

/** Lets the compiler infer the type of an operand. */
const word = <Operand>(word: TestWord<Operand>) => word

const textTest = (must: string, fits: (text: string) => boolean): Test => ({
  holds(value) {
    const text = textOf(value)
    return text !== undefined && fits(text)
  },
  must,
})

const comparison = (relation: string, holds: (value: number, bound: number) => boolean) =>
  word({
    description: `${relation}.`,
    schema: number,
    test: (bound) => ({
      holds: (value) => holds(numberOf(value), bound),
      must: `must be ${relation.toLowerCase()} ${bound}`,
    }),
  })

/** All tests except `not`. */
export const testWords = {
  startsWith: word({
    description: 'The text starts with this.',
    schema: text,
    test: (start) => textTest(`must start with ${start}`, (value) => value.startsWith(start)),
  }),
  endsWith: word({
    description: 'The text ends with this.',
    schema: text,
    test: (end) => textTest(`must end with ${end}`, (value) => value.endsWith(end)),
  }),
  matches: word({
    description: 'An RE2 regular expression that matches anywhere in the text.',
    schema: text,
    test: (pattern) => textTest(`must match ${pattern}`, testOf(pattern)),
    check(pattern) {
      const message = patternIssue(pattern)
      return message === undefined ? undefined : { message }
    },
  }),
  lt: comparison('Less than', (value, bound) => value < bound),
  lte: comparison('At most', (value, bound) => value <= bound),
  gt: comparison('More than', (value, bound) => value > bound),
  gte: comparison('At least', (value, bound) => value >= bound),
  exists: word({
    description: 'Whether the request has the field.',
    schema: () => z.boolean({ error: 'must be true or false' }),
    test: (wanted) => ({
      holds: (value) => (value !== undefined && value !== null && value !== '') === wanted,
      must: wanted ? 'must be present' : 'must be absent',
    }),
  }),
  ending: word({
    description: 'For `party`: the test number with this ending, in any country served.',
    schema: () =>
      z
        .string({ error: 'must be text in quotes' })
        .regex(/^\d{3}$/, { error: 'must be three digits in quotes, such as "002"' }),
    test: (ending) => ({
      holds: (value) => endingOf(value) === ending,
      must: `must be a test number that ends in ${ending}`,
    }),
    check: (_, field) =>
      field === 'party' ? undefined : { on_key: true, message: 'test numbers are for party' },
  }),
}

type TestName = keyof typeof testWords
type Tests = { [Name in TestName]?: Parameters<(typeof testWords)[Name]['test']>[0] | undefined }
type Bare = string | number | boolean
/** A validated predicate. */
export type Predicate = Bare | Bare[] | (Tests & { not?: Bare | Bare[] | Tests | undefined })

const notBare = 'must be a value, a list of values, or a map such as { startsWith: "2547" }'

export const predicateSchema = lazy((): z.ZodType<Predicate> => {
  const bare = z.union([z.string(), z.number(), z.boolean()])
  const shape = optional(testWords)
  const not = z
    .union([bare, z.array(bare), words(shape)], { error: notBare })
    .optional()
    .describe('The opposite.')
  return z.union(
    [bare, z.array(bare).min(1, { error: 'must name at least one' }), words({ ...shape, not })],
    {
      error: notBare,
    },
  )
})

/** Returns the tests of a predicate, all of which must hold. @param predicate validated */
export function testsOf(predicate: unknown): Test[] {
  if (typeof predicate !== 'object' || predicate === null) return [oneOf([predicate])]
  if (Array.isArray(predicate)) return [oneOf(predicate)]
  return Object.entries(predicate).map(([name, operand]) =>
    name === 'not' ? negation(operand) : (testWords[name as TestName] as TestWord<unknown>).test(operand),
  )
}

function negation(predicate: unknown): Test {
  const tests = testsOf(predicate)
  return {
    holds: (value) => !tests.every((test) => test.holds(value)),
    must: `must not hold: ${tests.map((test) => test.must).join(' and ')}`,
  }
}

/** Compares texts and numbers as texts: 63902 equals "63902". */
function oneOf(values: readonly unknown[]): Test {
  const said = new Set(values.map(String))
  return {
    holds: (value) => value !== undefined && value !== null && said.has(String(value)),
    must: `must be ${said.size > 1 ? 'one of ' : ''}${[...said].join(', ')}`,
  }
}

/** Parses a number; queries and headers contain numbers as text. Returns NaN for anything else. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** Reports issues of the predicate at `path`. The pattern engine must be loaded. */
export function checkPredicate(path: FieldPath, field: string, predicate: unknown): Issue[] {
  if (typeof predicate !== 'object' || predicate === null || Array.isArray(predicate)) return []
  if (Object.keys(predicate).length === 0)
    return [{ path, message: 'is empty; give a value, or a test such as startsWith' }]
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = predicate as Tests
  const [most, least] = [Math.min(lt, lte), Math.max(gt, gte)]
  if (least > most || least === lt || gt === most)
    return [
      {
        path,
        message: `no number is ${gt >= gte ? 'more than' : 'at least'} ${least} and ${lt <= lte ? 'less than' : 'at most'} ${most}`,
      },
    ]
  return Object.entries(predicate).flatMap(([name, operand]) => {
    const place = [...path, name]
    if (name === 'not') return checkPredicate(place, field, operand)
    const issue = (testWords[name as TestName] as TestWord<unknown>).check?.(operand, field)
    return issue ? [{ path: place, ...issue }] : []
  })
}

/** A text that a predicate compares with. */
interface ComparedText {
  readonly path: FieldPath
  readonly value: string
  /** Whether it is the whole value and not only its beginning. */
  readonly whole: boolean
}

/** Returns the texts that a predicate compares with, except those in `not`. Numbers compare as texts. */
export function comparedTexts(predicate: unknown, path: FieldPath): ComparedText[] {
  if (predicate !== undefined && typeof predicate !== 'object')
    return [{ path, value: String(predicate), whole: true }]
  if (Array.isArray(predicate))
    return predicate.flatMap((each, index) => comparedTexts(each, [...path, index]))
  const start = (predicate as { startsWith?: unknown } | null | undefined)?.startsWith
  return typeof start === 'string' ? [{ path: [...path, 'startsWith'], value: start, whole: false }] : []
}

/** Returns the test of a predicate, or all its issues with paths that start with the field. */
export async function readPredicate(
  field: string,
  written: unknown,
): Promise<{ readonly holds: Test['holds'] } | { readonly issues: readonly Issue[] }> {
  await loadPatternsFor(written)
  const read = predicateSchema().safeParse(written, reporting)
  const issues = read.success
    ? checkPredicate([field], field, read.data)
    : issuesOf(read.error, { name: (path) => fieldPath([field, ...path]) }).told.map((issue) => ({
        ...issue,
        path: [field, ...issue.path],
      }))
  if (issues.length > 0) return { issues }
  const tests = testsOf(read.data)
  return { holds: (value) => tests.every((test) => test.holds(value)) }
}
