/** Patterns and conditions that several observations have in common. */
import { type Form, matched } from '../service/vocabulary/observed.ts'
import { causeOf } from './report.ts'

/** Returns a condition that holds for all rejected values and no accepted one. */
export function conditionOf(
  rejected: readonly unknown[],
  accepted: readonly unknown[],
): { missing: true } | { above: number } | { below: number } | { one_of: unknown[] } | undefined {
  if (rejected.every((value) => value === undefined))
    return accepted.length > 0 && accepted.every((value) => value !== undefined)
      ? { missing: true }
      : undefined
  if (rejected.some((value) => value === undefined)) return undefined
  const numbers = accepted.filter((value) => value !== undefined)
  if (accepted.length > 0 && [...rejected, ...numbers].every((value) => typeof value === 'number')) {
    const [mine, their] = [rejected, numbers] as [number[], number[]]
    if (their.length > 0 && Math.min(...mine) > Math.max(...their)) return { above: Math.max(...their) }
    if (their.length > 0 && Math.max(...mine) < Math.min(...their)) return { below: Math.min(...their) }
  }
  const known = new Set(accepted)
  const values = [...new Set(rejected)]
  return values.length <= 5 && values.every((value) => !known.has(value)) ? { one_of: values } : undefined
}

/** Returns the pattern of several texts: `*` stands for words that differ, and for quoted values. */
export function patternOf(texts: readonly string[]): string {
  const [first = ''] = texts
  const words = texts.map((each) => each.split(' '))
  if (words.some((each) => each.length !== words[0]!.length))
    return causeOf({ headers: new Map(), body: { error_message: first } }).replace(/^\S+ /, '')
  const pattern = words[0]!.map((word, n) => (words.every((each) => each[n] === word) ? word : '*')).join(' ')
  return pattern.replace(/got "[^"]*"/, 'got *')
}

/** Returns the service's text with `{1}` for the first `*` of the sandbox's. */
export function templateOf(
  theirs: readonly string[],
  ours: readonly string[],
  from: string,
): string | undefined {
  const parts = ours.map((each) => matched(from, each) ?? [])
  const made = theirs.map((each, n) =>
    parts[n]!.reduce(
      (told, part, index) => (part.length < 3 ? told : told.replaceAll(part, `{${index + 1}}`)),
      each,
    ),
  )
  return made.every((each) => each === made[0]) ? made[0] : undefined
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Returns the form of drawn texts of one length: `PAY-######` or `uuid`. */
export function formOf(values: readonly string[]): string | undefined {
  if (values.every((each) => UUID.test(each))) return 'uuid'
  const [first = ''] = values
  if (values.some((each) => each.length !== first.length)) return undefined
  return [...first]
    .map((sign, n) => {
      const signs = new Set(values.map((each) => each[n]!))
      if ([...signs].every((each) => /\d/.test(each))) return '#'
      if (signs.size === 1) return sign
      if ([...signs].every((each) => /[A-Za-z]/.test(each))) return '@'
      return [...signs].every((each) => /[A-Za-z\d]/.test(each)) ? '*' : '-'
    })
    .join('')
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Forms of a value, and whether the service's value is the sandbox's in that form. */
export const formsOfValues: readonly (readonly [Form, (ours: unknown, theirs: unknown) => boolean])[] = [
  ['text', (ours, theirs) => isText(theirs) && isNumber(ours) && Number(theirs) === ours],
  ['number', (ours, theirs) => isNumber(theirs) && isText(ours) && Number(ours) === theirs],
  ['minor', (ours, theirs) => isNumber(ours) && ours !== 0 && theirs === Math.round(ours * 100)],
  ['whole', (ours, theirs) => isNumber(ours) && theirs === Math.round(ours)],
  ['upper', (ours, theirs) => isText(ours) && theirs === ours.toUpperCase()],
  ['lower', (ours, theirs) => isText(ours) && theirs === ours.toLowerCase()],
  [
    'epoch',
    (ours, theirs) => !Number.isNaN(Date.parse(String(ours))) && isText(ours) && Number(theirs) > 1e9,
  ],
]
