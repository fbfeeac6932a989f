/** The facts that `when` asks about: what every operation's request is boiled down to. */
import * as z from 'zod'
import { servedCountries } from '../domain/countries/countries.ts'
import type { Facts } from '../domain/facts.ts'
import { currencies } from '../domain/money.ts'
import type { Issue } from '../validation-messages.ts'
import { kycOperations, moneyOperations } from './operations.ts'
import { comparedTexts } from './predicates.ts'
import type { ScenarioFile } from './schema.ts'
import { unknown } from './words.ts'

type When = NonNullable<ScenarioFile['when']>

interface Fact {
  /** For editors; empty where the name says it all. */
  readonly description: string
  /** The operations whose requests have it, for a fact that is no field of others. */
  readonly operations?: readonly string[]
  /** What it is called and all that it can be, where that is known. */
  readonly values?: readonly [what: string, values: readonly string[]]
}

/** A row for every fact of the domain. */
export const facts = {
  direction: {
    description: 'Money in or money out.',
    operations: moneyOperations,
    values: ['a direction', ['payin', 'payout']],
  },
  rail: { description: '`momo`, `bank` or `card`.', values: ['a rail', ['momo', 'bank', 'card']] },
  party: {
    description: 'The phone or account that pays or is paid, digits with the dial code.',
    operations: [...moneyOperations, ...kycOperations],
  },
  amount: { description: 'As it is sent.', operations: moneyOperations },
  currency: {
    description: '',
    operations: moneyOperations,
    values: ['a currency of a country served', currencies],
  },
  country: { description: '', values: ['a country served', servedCountries] },
  provider: { description: '', operations: moneyOperations },
  account_id: { description: 'The Team.' },
  channel_id: { description: '', operations: moneyOperations },
  reference: { description: "The caller's own reference." },
} as const satisfies { readonly [Name in keyof Required<Facts>]: Fact }

type FactName = keyof typeof facts

export const factNames = Object.keys(facts) as readonly FactName[]

export const factNamed = (name: string): Fact | undefined =>
  Object.hasOwn(facts, name) ? facts[name as FactName] : undefined
