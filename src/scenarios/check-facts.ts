/** What a fact can never be: a file that asks for it would never match, and nobody would know why. */
import { currencies } from '../domain/money.ts'
import type { Issue } from '../validation-messages.ts'
import { magicCountries } from './magic.ts'
import { kycOperations, moneyOperations } from './operations.ts'
import type { ScenarioFile } from './schema.ts'
import { unknown } from './words.ts'

type When = NonNullable<ScenarioFile['when']>

const known: { readonly [fact: string]: readonly [what: string, values: readonly string[]] } = {
  rail: ['a rail', ['momo', 'bank', 'card']],
  country: ['a country served', magicCountries],
  currency: ['a currency of a country served', currencies],
}

/** The operations whose requests have a fact; the facts that are not here are fields of others too. */
const operationsWith: { readonly [fact: string]: readonly string[] } = {
  direction: moneyOperations,
  party: [...moneyOperations, ...kycOperations],
  amount: moneyOperations,
  currency: moneyOperations,
  provider: moneyOperations,
  channel_id: moneyOperations,
}

/** What of one entry of `when` can never be. */
export function checkFact(operations: readonly string[], when: When, fact: string): Issue[] {
  const having = operationsWith[fact]
  if (having && !operations.some((operation) => having.includes(operation))) {
    const message = `${operations.join(', ')} has no ${fact}; it is for ${having.join(', ')}`
    return [{ path: ['when', fact], on_key: true, message }]
  }
  const mayBeAccount = when.rail !== undefined && when.rail !== 'momo'
  return valuesIn(when[fact], ['when', fact]).flatMap(({ path, value, whole }) => {
    const message =
      (whole ? strangeValue(fact, value) : undefined) ??
      (fact === 'party' && !mayBeAccount ? dialled(value) : undefined)
    return message === undefined ? [] : [{ path, message }]
  })
}

const ways: { readonly [operation: string]: string } = {
  createCollection: 'payin',
  createWithdrawal: 'payout',
}

/** `createCollection` is never a `payout`. */
export function checkDirection(operations: readonly string[], direction: When['direction']): Issue[] {
  const asked: readonly string[] = direction === undefined ? [] : [...new Set([direction].flat())]
  const possible = operations.some((operation) => asked.includes(ways[operation] ?? asked[0]!))
  if (asked.length === 0 || possible) return []
  return [
    { path: ['when', 'direction'], message: `${operations.join(', ')} is never a ${asked.join(' or ')}` },
  ]
}

interface Said {
  readonly path: (string | number)[]
  readonly value: string
  /** The whole value, not how it begins. */
  readonly whole: boolean
}

/** The texts that a predicate compares with; what `not` excludes may be anything. */
function valuesIn(predicate: unknown, path: (string | number)[]): Said[] {
  if (typeof predicate === 'string') return [{ path, value: predicate, whole: true }]
  if (Array.isArray(predicate)) return predicate.flatMap((each, index) => valuesIn(each, [...path, index]))
  const start = (predicate as { startsWith?: unknown } | null | undefined)?.startsWith
  return typeof start === 'string' ? [{ path: [...path, 'startsWith'], value: start, whole: false }] : []
}

function strangeValue(fact: string, value: string): string | undefined {
  const [what, values] = known[fact] ?? []
  return values && !values.includes(value) ? unknown(value, what!, values) : undefined
}

/** A phone is compared as digits with the dial code, however it was sent. */
function dialled(value: string): string | undefined {
  const said = JSON.stringify(value)
  if (/^\+\d/.test(value)) return `${said} has a plus sign, which party never has; write ${value.slice(1)}`
  if (/^0[17]/.test(value) || /^0\d{8,}$/.test(value))
    return `${said} is a phone as it is dialled; party has the dial code, such as 254 instead of the 0 (or say which rail, when it is an account)`
  return undefined
}
