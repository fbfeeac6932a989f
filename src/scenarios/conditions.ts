/** The predicates of `when`: from what a file says to a test of one value. */
import { endingOf } from './magic.ts'
import { PatternIssue } from './pattern-text.ts'
import { compilePattern } from './patterns.ts'
import type { Condition } from './scenario.ts'

type Test = { readonly holds: (value: unknown) => boolean; readonly must: string }

/** Everything that `when` asks beside the operation. @param when as the file has it, checked */
export function conditionsOf(when: { readonly [field: string]: unknown }): Condition[] {
  return Object.entries(when).flatMap(([field, predicate]) =>
    field === 'operation' ? [] : testsOf(predicate).map((test) => ({ field: fieldName(field), ...test })),
  )
}

/** Header names are told apart by their letters alone, not by their case. */
const fieldName = (field: string) => (field.startsWith('headers.') ? field.toLowerCase() : field)

/** Whether all that a predicate asks holds for a value. @param predicate checked */
export function holdsOf(predicate: unknown): (value: unknown) => boolean {
  const tests = testsOf(predicate)
  return (value) => tests.every((test) => test.holds(value))
}

function testsOf(predicate: unknown): Test[] {
  if (typeof predicate !== 'object' || predicate === null) return [oneOf([predicate])]
  if (Array.isArray(predicate)) return [oneOf(predicate)]
  return Object.entries(predicate).map(([word, operand]) => makers[word]!(operand))
}

const makers: { readonly [word: string]: (operand: unknown) => Test } = {
  startsWith: (start) => ({
    holds: (value) => textOf(value)?.startsWith(start as string) ?? false,
    must: `must start with ${start}`,
  }),
  endsWith: (end) => ({
    holds: (value) => textOf(value)?.endsWith(end as string) ?? false,
    must: `must end with ${end}`,
  }),
  matches: (pattern) => {
    const fits = compileKept(pattern as string)
    return {
      holds: (value) => {
        const text = textOf(value)
        return text !== undefined && fits(text)
      },
      must: `must match ${pattern}`,
    }
  },
  lt: (most) => compare('less than', most, (a, b) => a < b),
  lte: (most) => compare('at most', most, (a, b) => a <= b),
  gt: (least) => compare('more than', least, (a, b) => a > b),
  gte: (least) => compare('at least', least, (a, b) => a >= b),
  exists: (wanted) => ({
    holds: (value) => (value !== undefined && value !== null && value !== '') === wanted,
    must: wanted ? 'must be there' : 'must not be there',
  }),
  magic: (ending) => ({
    holds: (value) => endingOf(value) === ending,
    must: `must be a magic number that ends in ${ending}`,
  }),
  not: (predicate) => {
    const tests = testsOf(predicate)
    return {
      holds: (value) => !tests.every((test) => test.holds(value)),
      must: `must not hold: ${tests.map((test) => test.must).join(' and ')}`,
    }
  },
}

/** A pattern that an earlier version took and that is refused now fits nothing: its world goes on. */
function compileKept(pattern: string): (text: string) => boolean {
  try {
    return compilePattern(pattern)
  } catch (error) {
    if (error instanceof PatternIssue) return () => false
    throw error
  }
}

/** Texts and numbers are compared by what they say: 63902 is "63902". */
function oneOf(values: readonly unknown[]): Test {
  const said = new Set(values.map(String))
  return {
    holds: (value) => value !== undefined && value !== null && said.has(String(value)),
    must: `must be ${said.size > 1 ? 'one of ' : ''}${[...said].join(', ')}`,
  }
}

function compare(relation: string, bound: unknown, holds: (a: number, b: number) => boolean): Test {
  return {
    holds: (value) => holds(numberOf(value), bound as number),
    must: `must be ${relation} ${bound as number}`,
  }
}

/** A number, or the text of one, which is all that queries and headers have; NaN for anything else. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
