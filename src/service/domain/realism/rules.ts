import type { Reason } from '../../vocabulary/rails.ts'
import type { Plan } from '../../vocabulary/outcome.ts'
import { countries, countryByCode, networkNamed, networksOn } from '../countries/countries.ts'
import type { TransactionRow } from '../../../storage/store/payment-rows.ts'
import { type Country, keptEnding } from '../countries/country.ts'
import type { NetworkFacts, Operator } from '../countries/networks.ts'
import type { Direction } from '../../vocabulary/terms.ts'
import type { Look } from '../context.ts'
import type { Faults } from '../errors.ts'
import { costOf } from '../money.ts'
import { shown } from '../../../lib/text/shown.ts'

/** Reasons of failures before the prompt reaches the phone. */
const withoutPrompt: readonly Reason[] = [
  'subscriber_locked',
  'prompt_not_sent',
  'rule_limited',
  'daily_limit',
  'operator_busy',
]

export const isWithoutPrompt = (plan: Plan | null): boolean => {
  const reason = plan?.settle?.reason
  return reason !== undefined && withoutPrompt.includes(reason)
}

/** The rules of realistic operators and banks, with their sources, for documentation. */

export interface Rule {
  readonly name: string
  readonly rule: string
  /** Networks or banks to which it applies. */
  readonly holds_for: string
  readonly provenance: 'observed' | 'assumed'
  readonly source: string
}

const numbering = countries.flatMap(
  ({ code: country, numbering: { source, operators } }): readonly Rule[] => [
    {
      name: `numbering.${country}`,
      rule: 'Whose network a number is on is told by its first digits.',
      holds_for: `mobile money in ${country}`,
      provenance: 'observed',
      source,
    },
    ...operators.flatMap(({ name, prefixes, assumed }): readonly Rule[] =>
      assumed === undefined
        ? []
        : [
            {
              name: `numbering.${country}.${prefixes}`,
              rule: `Numbers that begin with ${prefixes} are ${name}’s.`,
              holds_for: `mobile money in ${country}`,
              provenance: 'assumed',
              source: assumed,
            },
          ],
    ),
  ],
)

const accounts = countries.flatMap(({ code, accounts: form }): readonly Rule[] =>
  form
    ? [
        {
          name: `accounts.${code}`,
          rule: `A bank account that is not ${form.expected} is refused with 400.`,
          holds_for: `banks in ${code}`,
          provenance: form.provenance,
          source: form.source,
        },
      ]
    : [],
)

const identities = countries.map(({ code, identity }): Rule => ({
  name: `identity.${code}`,
  rule: `An id_number of id_type national_id or ${identity.name} that is not ${identity.expected} is refused with 400.`,
  holds_for: `customers of global payments in ${code}`,
  provenance: 'assumed',
  source: 'the form is that of the issuer; that it is checked is assumed',
}))

/** What only `realism: field` adds. */
const fieldRules = (
  [
    ['latency', 'A response takes about 350 ms, and one in twenty more than 900 ms.'],
    ['times', 'A payment takes the usual time of its rail; `settle_after` has no effect.'],
    [
      'failures',
      'One in eight prompts fails, one in six cards, one in twelve bank payments, one in twenty-five payouts.',
    ],
    ['outages', 'Networks fail or delay payments for some minutes, more often at night and in the evening.'],
    ['batches', 'Transfers of banks without instant payments wait for a batch on a banking day.'],
    [
      'exchange',
      'A payment in another currency than the Team’s is converted at a rate of the day, less 1.5 %.',
    ],
    ['debts', 'A reversal whose money is gone becomes a debt of the Team, which rejects its payouts.'],
    ['fees', 'Cards cost twice as much as other payments; Airtel Money, OPay and PalmPay cost less.'],
    ['maintenance', 'Networks of MTN are closed on Sunday from midnight to two.'],
    ['callbacks', 'Three callbacks in a hundred are late, one in a hundred is sent twice.'],
  ] as const
).map(([name, rule]): Rule => ({
  name: `field.${name}`,
  rule,
  holds_for: 'payments that no scenario or test number decides, if realism is field',
  provenance: 'assumed',
  source: 'none that is public has figures for all networks',
}))

export const rules: readonly Rule[] = [
  ...numbering,
  {
    name: 'other_network',
    rule: 'A payment to or from a number of another network than the one named fails: a pay-in with prompt_not_sent, a payout with not_registered.',
    holds_for: 'mobile money everywhere',
    provenance: 'assumed',
    source: 'none that is public says what each direction fails with',
  },
  {
    name: 'mobile_only',
    rule: 'A number that no mobile phone can have is refused with 400.',
    holds_for: 'mobile money everywhere',
    provenance: 'observed',
    source: 'national numbering plans, by their first digits; checked against libphonenumber',
  },
  {
    name: 'prompt_in_flight',
    rule: 'A pay-in from a phone that shows a prompt already, which stands for a minute, fails with subscriber_locked (1001).',
    holds_for: 'M-Pesa in KE',
    provenance: 'observed',
    source: 'M-Pesa’s public result codes',
  },
  {
    name: 'same_amount',
    rule: 'The same amount from or to the same number within two minutes fails with rule_limited (17).',
    holds_for: 'M-Pesa in KE',
    provenance: 'observed',
    source: 'M-Pesa’s public result codes, and what aggregators say of repeated payments',
  },
  {
    name: 'same_amount.alike',
    rule: 'A payment is like one before it in the same direction and for the same Team that moved its money or will, and the two minutes run from the end of that one.',
    holds_for: 'M-Pesa in KE',
    provenance: 'assumed',
    source: 'none that is public says which payments are compared',
  },
  {
    name: 'amount_per_transaction',
    rule: 'More than KES 150,000 at once is refused with 400, plain or realistic.',
    holds_for: 'M-Pesa in KE',
    provenance: 'observed',
    source:
      'the bounds of the service; the operator itself accepts KES 250,000 since September 2023 (Central Bank of Kenya)',
  },
  {
    name: 'amount_per_day',
    rule: 'What takes a phone over KES 500,000 a day, Nairobi’s, fails with daily_limit (4).',
    holds_for: 'M-Pesa in KE',
    provenance: 'observed',
    source: 'Safaricom and the Central Bank of Kenya, from 15 August 2023 on',
  },
  {
    name: 'amount_per_day.directions',
    rule: 'What a phone sends and what it receives count apart.',
    holds_for: 'M-Pesa in KE',
    provenance: 'assumed',
    source: 'none that is public says whether they do',
  },
  {
    name: 'whole_amounts',
    rule: 'An amount with decimals is refused with 400 where the network takes none: prompts of M-Pesa in KE, Mixx by Yas and HaloPesa in TZ, SmartCash in NG.',
    holds_for: 'those networks',
    provenance: 'observed',
    source:
      'lists of decimals by network that aggregators publish; M-Pesa’s API, which takes whole shillings',
  },
  ...identities,
  ...fieldRules,
  ...accounts,
  {
    name: 'accounts.check_digit',
    rule: 'A NUBAN whose check digit is not that of its bank is refused with 400.',
    holds_for: 'banks in NG',
    provenance: 'observed',
    source: 'Central Bank of Nigeria, standards on the Nigeria Uniform Bank Account Number, 2020',
  },
]

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

/** Expands `740-743 745` to `740`, `741`, `742`, `743` and `745`. */
export function prefixesOf({ prefixes }: Operator): readonly string[] {
  return prefixes.split(' ').flatMap((written) => {
    const [first = '', last = first] = written.split('-')
    const count = Number(last) - Number(first) + 1
    return Array.from({ length: count }, (_, n) => String(Number(first) + n))
  })
}

/** The operators of a country by prefix, created on first use. */
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
 * Returns the operator to which a number was assigned, even if it has been ported since; undefined if the plan has no
 * entry.
 * @param digits - with the dial code
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

type Routed = Pick<TransactionRow, 'country' | 'rail' | 'party'> & { readonly network?: string | undefined }

/** Returns the cost of a payment, minor units. In the field, networks have prices of their own. */
export function costFor(
  { settings }: Pick<Look, 'settings'>,
  payment: Routed,
  amount: number,
  currency: string,
): number {
  const { realism, network_prices = realism === 'field' } = settings
  const fee = network_prices ? networkOf(payment)?.fee : undefined
  return costOf(settings.costs, amount, currency, fee)
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
