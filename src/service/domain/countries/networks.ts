/** The networks of a country: those of a rail, and the one of a phone number or account. */
import type { TransactionRow } from '../../../storage/store/payment-rows.ts'
import { shown } from '../../../lib/text/shown.ts'
import type { Rail } from '../../vocabulary/rails.ts'
import type { Direction } from '../../vocabulary/terms.ts'
import type { Faults } from '../errors.ts'
import { countryByCode } from './countries.ts'
import { type Country, keptEnding, type Network, type NetworkFacts, type Operator } from './country.ts'

export const networksOf = (country: Country, rail?: Rail): readonly Network[] =>
  Object.values(country.networks)
    .flat()
    .filter((network) => !rail || network.account_type === rail)

/** Returns the facts of a rail's networks; none in a country that is not served. */
export const networksOn = (country: string, rail: Rail): readonly NetworkFacts[] =>
  countryByCode(country)?.market.networks[rail] ?? []

/** @param named - as in discovery */
export const networkNamed = (country: string, rail: Rail, named: string): NetworkFacts | undefined =>
  networksOn(country, rail).find(({ name }) => name === named)

/** Expands `740-743 745` to `740`, `741`, `742`, `743` and `745`. */
export function prefixesOf({ prefixes }: Operator): readonly string[] {
  return prefixes.split(' ').flatMap((written) => {
    const [first = '', last = first] = written.split('-')
    const count = Number(last) - Number(first) + 1
    return Array.from({ length: count }, (_, n) => String(Number(first) + n))
  })
}

/** The operators of each country by prefix, created on first use. */
const byPrefix = new WeakMap<Country, ReadonlyMap<string, Operator>>()

const SHORTEST = 2
const LONGEST = 4

/**
 * Returns the operator to which a number was assigned, even if it has been ported since; undefined if the plan has no
 * entry.
 * @param digits - with the dial code
 */
export function operatorOf(country: Country, digits: string): Operator | undefined {
  const { operators } = country.numbering
  const entries = () => operators.flatMap((each) => prefixesOf(each).map((prefix) => [prefix, each] as const))
  const prefixes = byPrefix.get(country) ?? new Map(entries())
  byPrefix.set(country, prefixes)
  const national = digits.slice(country.dial_code.length)
  for (let length = LONGEST; length >= SHORTEST; length--) {
    const found = prefixes.get(national.slice(0, length))
    if (found) return found
  }
  return undefined
}

/**
 * Returns the network of a transaction: the one its request names, otherwise that of the phone's operator or, for tills
 * and paybills, the largest of the country.
 */
export function networkOf({ country: code, rail, party, network }: Routed): NetworkFacts | undefined {
  if (network !== undefined) return networkNamed(code, rail, network)
  const country = rail === 'momo' ? countryByCode(code) : undefined
  if (!country) return undefined
  const [name] = party.startsWith(country.dial_code) ? (operatorOf(country, party)?.networks ?? []) : []
  return name === undefined ? networksOn(code, rail)[0] : networkNamed(code, rail, name)
}

export type Routed = Pick<TransactionRow, 'country' | 'rail' | 'party'> & {
  readonly network?: string | undefined
}

/**
 * Rejects decimals if the network accepts none.
 * @param amount - major units, as sent
 */
export function requireWhole(
  faults: Faults,
  amount: number | undefined,
  { code, currency }: Pick<Country, 'code' | 'currency'>,
  network_name: string | undefined,
  direction: Direction,
): void {
  if (amount === undefined || network_name === undefined || Number.isInteger(amount)) return
  const taken = networkNamed(code, 'momo', network_name)?.whole
  if (taken !== 'both' && taken !== direction) return
  const what = direction === 'payin' ? 'payments' : 'payouts'
  faults.refuse(
    'amount',
    amount,
    `must be a whole number of ${currency}: ${network_name} accepts no decimals in ${what}`,
  )
}

export const isMobile = ({ mobile, dial_code }: Country, digits: string): boolean =>
  mobile.test(digits.slice(dial_code.length))

/** Whether a number is on another network than `network_name`; false if unknown. */
export function isOfAnother(country: Country, digits: string, network_name: string): boolean {
  const known = country.numbering.operators.some(({ networks }) => networks.includes(network_name))
  const operator = known ? operatorOf(country, digits) : undefined
  return operator !== undefined && !operator.networks.includes(network_name)
}

const WEIGHTS = [3, 7, 3]

/**
 * Returns the check digit of a NUBAN.
 * @param bank - three digits of the bank's code
 * @param serial - the first nine digits of the account
 */
export function nubanDigit(bank: string, serial: string): number {
  const sum = [...`${bank}${serial}`].reduce((total, digit, n) => total + Number(digit) * WEIGHTS[n % 3]!, 0)
  return (10 - (sum % 10)) % 10
}

/** @param network_name - the bank, if known */
export function requireAccount(
  faults: Faults,
  field: string,
  account: string,
  { accounts: form, code }: Pick<Country, 'accounts' | 'code'>,
  network_name: string | undefined,
): void {
  if (!form || account === '' || keptEnding(account) !== undefined) return
  if (!form.form.test(account)) return faults.refuse(field, account, `must be ${form.expected}`)
  const bank = network_name === undefined ? undefined : networkNamed(code, 'bank', network_name)?.bank_code
  if (bank === undefined) return
  const digit = nubanDigit(bank, account.slice(0, -1))
  if (account.endsWith(String(digit))) return
  faults.add(
    field,
    `must be an account of ${network_name}, whose check digit for ${account.slice(0, -1)} is ${digit}, got ${shown(account)}`,
  )
}
