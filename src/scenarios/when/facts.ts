/** Facts of a request that `when` can test in all operations. */
import { isOfPhone, isRail, railNames } from '../../service/vocabulary/rails.ts'
import { servedCountries } from '../../service/domain/countries/countries.ts'
import type { Facts } from '../../service/domain/facts.ts'
import { currencies } from '../../service/domain/money.ts'
import type { Direction } from '../../service/vocabulary/terms.ts'
import { type Issue, onKey } from '../../lib/text/validation-messages.ts'
import { kycOperations, moneyOperations } from '../operations.ts'
import { comparedTexts, type Predicate } from './predicates.ts'
import { either } from '../../lib/text/shown.ts'
import { unknown } from '../../lib/text/word-schemas.ts'

interface Fact {
  /** Shown by editors and in the documentation. */
  readonly description: string
  /** The operations whose requests have the fact; all if omitted. */
  readonly operations?: readonly string[]
  /** The noun for its values, and the known values, if any. */
  readonly values?: readonly [what: string, values: readonly string[]]
  /** The form of its values, and a description. */
  readonly form?: readonly [form: RegExp, what: string]
}

const id: Fact['form'] = [/^[1-9]\d*$/, 'a whole number from 1']

/** `a`, `b` or `c`. */
const listed = (words: readonly string[]) => either(words.map((word) => `\`${word}\``))

/** The facts that the domain extracts from a request. */
export const facts: { readonly [Name in keyof Required<Facts>]: Fact } = {
  direction: { description: 'Money in or money out.', operations: moneyOperations },
  rail: { description: `${listed(railNames)}.`, values: ['a rail', railNames] },
  party: {
    description: 'The phone or account of the payer or recipient, as digits with the dial code.',
    operations: [...moneyOperations, ...kycOperations],
  },
  amount: {
    description: 'The amount in the request.',
    operations: moneyOperations,
    form: [/^(?=.*[1-9])\d+(?:\.\d+)?$/, 'a number more than 0'],
  },
  currency: {
    description: 'Three letters, for example `KES`.',
    operations: moneyOperations,
    values: ['a supported currency', currencies],
  },
  country: {
    description: 'Two letters, for example `KE`.',
    values: ['a supported country', servedCountries],
  },
  provider: {
    description: 'The provider named in the request, for example `m-pesa`.',
    operations: moneyOperations,
  },
  account_id: { description: 'The Team.', form: id },
  channel_id: { description: 'The payment channel.', operations: moneyOperations, form: id },
  reference: { description: "The caller's reference." },
}

export const factNames = Object.keys(facts) as readonly (keyof Facts)[]

/** Reports impossible values in an entry of `when`. */
export function checkFact(
  operations: readonly string[],
  when: { readonly [field: string]: Predicate | undefined },
  name: string,
): readonly Issue[] {
  const fact = Object.hasOwn(facts, name) ? facts[name as keyof Facts] : undefined
  const having = fact?.operations
  if (having && !operations.some((operation) => having.includes(operation))) {
    const message = `${operations.join(', ')} has no ${name}; use it with ${having.join(', ')}`
    return onKey(['when', name], message)
  }
  const never = neverOf(operations, name, when[name])
  if (never !== undefined) return [{ path: ['when', name], message: never }]
  const mayBeAccount =
    when.rail !== undefined &&
    !(typeof when.rail === 'string' && isRail(when.rail) && isOfPhone({ rail: when.rail }))
  return comparedTexts(when[name], ['when', name]).flatMap(({ path, value, whole }) => {
    const message =
      (whole ? strangeValue(name, fact, value) : undefined) ??
      (name === 'party' && !mayBeAccount ? dialled(value) : undefined)
    return message === undefined ? [] : [{ path, message }]
  })
}

function strangeValue(name: string, { values: known, form }: Fact = { description: '' }, value: string) {
  if (known && !known[1].includes(value)) return unknown(value, ...known)
  return form && !form[0].test(value) ? `${name} must be ${form[1]}, got ${JSON.stringify(value)}` : undefined
}

/** Phones are compared as digits with the dial code, in whichever form they were sent. */
function dialled(value: string): string | undefined {
  const said = JSON.stringify(value)
  if (/^\+\d/.test(value))
    return `${said} has a plus sign, which party never contains; write ${value.slice(1)}`
  if (/^0[17]/.test(value) || /^0\d{8,}$/.test(value))
    return `${said} is a local phone number; party starts with the dial code, such as 254 instead of the 0 (for an account, add the rail)`
  return undefined
}

/** Facts that have the same values in all requests of an operation. */
const fixed: { readonly [operation: string]: { readonly [fact: string]: readonly string[] } } = {
  createCollection: { direction: ['payin'], rail: ['momo'], currency: ['KES'], country: ['KE'] },
  createWithdrawal: { direction: ['payout'], rail: ['momo', 'bank'], currency: ['KES'], country: ['KE'] },
}

/** Reports a condition on a fact that no operation of the file meets. */
function neverOf(operations: readonly string[], name: string, predicate: unknown): string | undefined {
  const wanted = comparedTexts(predicate, []).flatMap(({ value, whole }) => (whole ? value : []))
  const isMet = (operation: string) => {
    const values = fixed[operation]?.[name]
    return values === undefined || wanted.some((value) => values.includes(value))
  }
  if (wanted.length === 0 || operations.some(isMet)) return undefined
  return `the ${name} of ${operations.join(', ')} is never ${wanted.join(' or ')}`
}

/** Returns the direction of all requests that a file concerns, or undefined if both are possible. */
export function onlyDirection(
  operations: readonly string[],
  directions: readonly Direction[],
): Direction | undefined {
  if (directions.length === 1) return directions[0]
  const possible = new Set(operations.map((operation) => fixed[operation]?.['direction']?.[0]))
  return possible.size === 1 ? ([...possible][0] as Direction | undefined) : undefined
}
