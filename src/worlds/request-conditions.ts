import { invalid } from '../domain/errors.ts'
import { nearest } from '../nearest.ts'
import type { JournalEntry } from './journal.ts'
import { factsOf, valueAt } from './request-facts.ts'

/** The words of `when` in a scenario file, and those that only a request on record has. */
const facts = [
  'operation',
  'direction',
  'rail',
  'party',
  'amount',
  'currency',
  'country',
  'provider',
  'account_id',
  'channel_id',
  'reference',
  'id',
  'username',
  'method',
  'path',
  'status',
]
const places = /^(body|query|headers|answer)\../

type Test = (value: unknown) => boolean

const number = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN
const textTest = (test: (text: string) => boolean): Test => {
  return (value) => (typeof value === 'string' || typeof value === 'number') && test(String(value))
}

const predicates: { readonly [word: string]: (wanted: unknown, where: string) => Test } = {
  startsWith: (wanted, where) => {
    const start = textOf(wanted, where)
    return textTest((text) => text.startsWith(start))
  },
  endsWith: (wanted, where) => {
    const end = textOf(wanted, where)
    return textTest((text) => text.endsWith(end))
  },
  matches: (wanted, where) => {
    const pattern = patternOf(textOf(wanted, where), where)
    return textTest((text) => pattern.test(text))
  },
  lt: (wanted, where) => compare(wanted, where, (a, b) => a < b),
  lte: (wanted, where) => compare(wanted, where, (a, b) => a <= b),
  gt: (wanted, where) => compare(wanted, where, (a, b) => a > b),
  gte: (wanted, where) => compare(wanted, where, (a, b) => a >= b),
  exists: (wanted, where) => {
    if (typeof wanted !== 'boolean')
      throw invalid(`${where} must be true or false, got ${JSON.stringify(wanted)}`)
    return (value) => (value !== undefined && value !== null) === wanted
  },
  not: (wanted, where) => {
    const test = condition(wanted, where)
    return (value) => !test(value)
  },
}

/**
 * Reads conditions, all of which a request must meet.
 * @throws ServiceError 400 naming an unknown fact or predicate and the nearest right word
 */
export function requestConditions(conditions: {
  readonly [name: string]: unknown
}): (entry: JournalEntry) => boolean {
  const tests = Object.entries(conditions).map(([name, wanted]) => {
    if (!facts.includes(name) && !places.test(name)) throw invalid(unknown('fact', name, facts))
    return { name, test: condition(wanted, name) }
  })
  return (entry) => {
    const known = factsOf(entry)
    return tests.every(({ name, test }) => test(valueAt(entry, known, name)))
  }
}

function condition(wanted: unknown, where: string): Test {
  if (Array.isArray(wanted)) {
    const tests = wanted.map((each, n) => condition(each, `${where}[${n}]`))
    return (value) => tests.some((test) => test(value))
  }
  if (typeof wanted !== 'object' || wanted === null) return (value) => equal(value, wanted)
  const tests = Object.entries(wanted).map(([word, argument]) => {
    const make = Object.hasOwn(predicates, word) ? predicates[word] : undefined
    if (!make) throw invalid(unknown(`predicate of ${where}`, word, Object.keys(predicates)))
    return make(argument, `${where}.${word}`)
  })
  return (value) => tests.every((test) => test(value))
}

/** A number and its text are the same: queries and headers have only texts. */
const equal = (value: unknown, wanted: unknown) =>
  value === wanted ||
  (value !== undefined && value !== null && wanted !== null && String(value) === String(wanted))

function compare(wanted: unknown, where: string, holds: (a: number, b: number) => boolean): Test {
  const limit = number(wanted)
  if (Number.isNaN(limit)) throw invalid(`${where} must be a number, got ${JSON.stringify(wanted)}`)
  return (value) => holds(number(value), limit)
}

function textOf(wanted: unknown, where: string): string {
  if (typeof wanted === 'string') return wanted
  if (typeof wanted === 'number') return String(wanted)
  throw invalid(`${where} must be text, got ${JSON.stringify(wanted)}`)
}

function patternOf(text: string, where: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw invalid(`${where} is no regular expression: ${(error as Error).message}`)
  }
}

function unknown(what: string, word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return `${what} "${word}" is not known${meant ? `; did you mean ${meant}?` : ''}; known are ${known.join(', ')}`
}
