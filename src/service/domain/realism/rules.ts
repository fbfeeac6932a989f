import type { Reason } from '../../vocabulary/reasons.ts'
import type { Plan } from '../../vocabulary/outcome.ts'
import { countries } from '../countries/countries.ts'
import type { Country } from '../countries/country.ts'
import type { Direction } from '../../vocabulary/terms.ts'
import type { Faults } from '../errors.ts'

/** What a payment fails with whose prompt never came to the phone. */
const withoutPrompt: readonly Reason[] = [
  'subscriber_locked',
  'prompt_not_sent',
  'rule_limited',
  'daily_limit',
  'operator_busy',
]

/** Whether a payment is decided to fail before any prompt is on the phone. */
export const isWithoutPrompt = (plan: Plan | null): boolean => {
  const reason = plan?.settle?.reason
  return reason !== undefined && withoutPrompt.includes(reason)
}

/** Every rule that holds where operators and banks are realistic, with where it is from, for people to read. */

export interface Rule {
  readonly name: string
  readonly rule: string
  /** Networks or banks that it holds for. */
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

/** All of them, in the order of lists. */
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
    source: 'Safaricom and the Central Bank of Kenya, March 2020, kept in August 2023',
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
  ...accounts,
  {
    name: 'accounts.check_digit',
    rule: 'A NUBAN whose check digit is not that of its bank is refused with 400.',
    holds_for: 'banks in NG',
    provenance: 'observed',
    source: 'Central Bank of Nigeria, standards on the Nigeria Uniform Bank Account Number, 2020',
  },
]

/** What networks of mobile money take as an amount, beside their least and most. */

/**
 * Networks that take no decimals though their currency has them, by country, and in which direction; in both where none is named
 * (observed: what aggregators publish of each network, and M-Pesa's own API, whose prompts are for whole shillings).
 */
export const wholeAmounts: {
  readonly [country: string]: { readonly [network_name: string]: Direction | 'both' }
} = {
  KE: { 'M-Pesa': 'payin' },
  TZ: { 'Mixx by Yas': 'both', HaloPesa: 'both' },
  NG: { SmartCash: 'both' },
}

/** Refuses decimals where the network takes none. @param amount major units, as sent */
export function requireWhole(
  faults: Faults,
  amount: number | undefined,
  { code, currency }: Pick<Country, 'code' | 'currency'>,
  network_name: string | undefined,
  direction: Direction,
): void {
  if (amount === undefined || network_name === undefined || Number.isInteger(amount)) return
  const taken = wholeAmounts[code]?.[network_name]
  if (taken !== 'both' && taken !== direction) return
  const what = direction === 'payin' ? 'payments' : 'payouts'
  faults.refuse(
    'amount',
    amount,
    `must be a whole number of ${currency}: ${network_name} takes no decimals in ${what}`,
  )
}
