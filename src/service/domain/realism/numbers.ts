/** Numbers of phones and bank accounts, as the numbering plans and account forms of the countries have them. */
import { type Country, keptEnding, type Operator } from '../countries/country.ts'
import type { Faults } from '../errors.ts'
import { shown } from '../../../lib/text/shown.ts'

/** `740-743 745` are `740`, `741`, `742`, `743` and `745`. */
export function prefixesOf({ prefixes }: Operator): readonly string[] {
  return prefixes.split(' ').flatMap((written) => {
    const [first = '', last = first] = written.split('-')
    const count = Number(last) - Number(first) + 1
    return Array.from({ length: count }, (_, n) => String(Number(first) + n))
  })
}

/** The operators of a country by prefix; made when the first number is looked at. */
const byPrefix = new WeakMap<Country, ReadonlyMap<string, Operator>>()

function prefixesIn(country: Country): ReadonlyMap<string, Operator> {
  let known = byPrefix.get(country)
  if (!known) {
    const { operators } = country.numbering
    known = new Map(operators.flatMap((operator) => prefixesOf(operator).map((each) => [each, operator])))
    byPrefix.set(country, known)
  }
  return known
}

const SHORTEST = 2
const LONGEST = 4

/**
 * Returns the operator that gave a number out, which a number that moved keeps; undefined if the plan does not say.
 * @param digits with the dial code
 */
export function operatorOf(country: Country, digits: string): Operator | undefined {
  const prefixes = prefixesIn(country)
  const national = digits.slice(country.dial_code.length)
  for (let length = LONGEST; length >= SHORTEST; length--) {
    const found = prefixes.get(national.slice(0, length))
    if (found) return found
  }
  return undefined
}

/** Whether digits with the dial code are those of a mobile phone. */
export const isMobile = ({ numbering, dial_code }: Country, digits: string): boolean =>
  numbering.mobile.test(digits.slice(dial_code.length))

/** Whether a number is on another network than `network_name`; false where nobody can tell. */
export function isOfAnother(country: Country, digits: string, network_name: string): boolean {
  const known = country.numbering.operators.some(({ networks }) => networks.includes(network_name))
  const operator = known ? operatorOf(country, digits) : undefined
  return operator !== undefined && !operator.networks.includes(network_name)
}

/** Whether a number is one of those kept for scenarios, which are on every network. */
export const isKeptForScenarios = ({ magic: { block } }: Country, digits: string): boolean =>
  digits.startsWith(block) && digits.length === block.length + 3

const WEIGHTS = [3, 7, 3]

/** The last digit of a NUBAN. @param bank the three digits of its code @param serial the first nine of the account */
export function nubanDigit(bank: string, serial: string): number {
  const sum = [...`${bank}${serial}`].reduce((total, digit, n) => total + Number(digit) * WEIGHTS[n % 3]!, 0)
  return (10 - (sum % 10)) % 10
}

/** Refuses what is no account of the bank. @param network_name the bank, where it is known */
export function requireAccount(
  faults: Faults,
  field: string,
  account: string,
  { accounts: form }: Pick<Country, 'accounts'>,
  network_name: string | undefined,
): void {
  if (!form || account === '' || keptEnding(account) !== undefined) return
  if (!form.form.test(account)) return faults.refuse(field, account, `must be ${form.expected}`)
  const bank = network_name === undefined ? undefined : form.bank_codes?.[network_name]
  if (bank === undefined) return
  const digit = nubanDigit(bank, account.slice(0, -1))
  if (account.endsWith(String(digit))) return
  faults.add(
    field,
    `must be an account of ${network_name}, whose check digit for ${account.slice(0, -1)} is ${digit}, got ${shown(account)}`,
  )
}
