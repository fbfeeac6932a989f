import { countries } from '../countries/countries.ts'

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
