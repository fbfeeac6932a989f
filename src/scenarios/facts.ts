/** The facts of a request that `when` tests, common to all operations. */
import { isOfPhone, isRail, railNames } from '../service/vocabulary/rails.ts'
import { servedCountries } from '../service/domain/countries/countries.ts'
import type { Facts } from '../service/domain/facts.ts'
import { currencies } from '../service/domain/money.ts'
import type { Direction } from '../service/vocabulary/terms.ts'
import type { Issue } from '../lib/text/validation-messages.ts'
import { kycOperations, moneyOperations } from './operations.ts'
import { comparedTexts, type Predicate } from './predicates.ts'
import { unknown } from './words.ts'

interface Fact {
  /** For editors and the documentation. */
  readonly description: string
  /** The operations whose requests have it, for a fact that is no field of others. */
  readonly operations?: readonly string[]
  /** The noun for its values, and the known values, if any. */
  readonly values?: readonly [what: string, values: readonly string[]]
}

/** `a`, `b` or `c`. */
const listed = (words: readonly string[]) =>
  words
    .map((word) => `\`${word}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')

/** A row for each fact that the domain makes of a request. */
export const facts: { readonly [Name in keyof Required<Facts>]: Fact } = {
  direction: { description: 'Money in or money out.', operations: moneyOperations },
  rail: { description: `${listed(railNames)}.`, values: ['a rail', railNames] },
  party: {
    description: 'The phone or account that pays or is paid, digits with the dial code.',
    operations: [...moneyOperations, ...kycOperations],
  },
  amount: { description: 'As it is sent.', operations: moneyOperations },
  currency: {
    description: 'Three letters, such as `KES`.',
    operations: moneyOperations,
    values: ['a currency of a country served', currencies],
  },
  country: { description: 'Two letters, such as `KE`.', values: ['a country served', servedCountries] },
  provider: { description: 'As the request names it, such as `m-pesa`.', operations: moneyOperations },
  account_id: { description: 'The Team.' },
  channel_id: { description: 'The payment channel.', operations: moneyOperations },
  reference: { description: "The caller's own reference." },
}

export const factNames = Object.keys(facts) as readonly (keyof Facts)[]

/** Returns the impossible values of a `when` entry, with which a file would never match. */
export function checkFact(
  operations: readonly string[],
  when: { readonly [field: string]: Predicate | undefined },
  name: string,
): Issue[] {
  const fact = Object.hasOwn(facts, name) ? facts[name as keyof Facts] : undefined
  const having = fact?.operations
  if (having && !operations.some((operation) => having.includes(operation))) {
    const message = `${operations.join(', ')} has no ${name}; it is for ${having.join(', ')}`
    return [{ path: ['when', name], on_key: true, message }]
  }
  const mayBeAccount =
    when.rail !== undefined &&
    !(typeof when.rail === 'string' && isRail(when.rail) && isOfPhone({ rail: when.rail }))
  return comparedTexts(when[name], ['when', name]).flatMap(({ path, value, whole }) => {
    const message =
      (whole ? strangeValue(fact, value) : undefined) ??
      (name === 'party' && !mayBeAccount ? dialled(value) : undefined)
    return message === undefined ? [] : [{ path, message }]
  })
}

function strangeValue(fact: Fact | undefined, value: string): string | undefined {
  const [what, values] = fact?.values ?? []
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

/** The operations that only one direction has. */
const ways: { readonly [operation: string]: Direction | undefined } = {
  createCollection: 'payin',
  createWithdrawal: 'payout',
}

/** `createCollection` is never a `payout`. @param directions the directions in `when` */
export function checkDirection(operations: readonly string[], directions: readonly Direction[]): Issue[] {
  const possible = operations.some((operation) => directions.includes(ways[operation] ?? directions[0]!))
  if (directions.length === 0 || possible) return []
  return [
    {
      path: ['when', 'direction'],
      message: `${operations.join(', ')} is never a ${directions.join(' or ')}`,
    },
  ]
}

/** The direction of every request that a file is about; undefined when it can be both. */
export function onlyDirection(
  operations: readonly string[],
  directions: readonly Direction[],
): Direction | undefined {
  if (directions.length === 1) return directions[0]
  const possible = new Set(operations.map((operation) => ways[operation]))
  return possible.size === 1 ? [...possible][0] : undefined
}
