import { countryOfOneProvider, AIRTEL, BATCHES, MTN, market } from './country.ts'

export const rw = countryOfOneProvider(
  {
    code: 'RW',
    name: 'Rwanda',
    currency: 'RWF',
    digits: 0,
    per_shilling: 11,
    coin: 5,
    dial_code: '250',
    utc_offset_hours: 2,
    holidays: '01-01 01-02 02-01 04-07 05-01 07-01 07-04 08-15 12-25 12-26',
    identifies_payout_owner: false,
    test_numbers: { block: '250780000', local: '0780000' },
    mobile: /^7/,
    identity: {
      name: 'National ID',
      pattern: '1YYYY8#######0##',
      form: /^[1-3](?:19|20)\d{2}[78]\d{10}$/,
      expected: 'the sixteen digits of a national identity card',
    },
    demo_balance: 1_000_000,
    market: market(
      'RW',
      [
        ['MTN MoMo', 'MTN Rwanda', '78-79', 80, MTN],
        ['Airtel Money', 'Airtel Rwanda', '72-73', 20, AIRTEL],
      ],
      [
        ['Bank of Kigali', 60, { account: '00040########' }],
        ['Equity Bank', 25, { account: '4001#########', receipt: 'finacle' }],
        ['I&M Bank', 15, { account: '2###########', receipt: 'finacle' }],
      ],
      {
        shares: 'Rwanda Utilities Regulatory Authority, accounts of June 2024',
        bank: { clears: BATCHES },
        fails: 0.85,
      },
    ),
  },
  { momo: [100, 2_000_000], bank: [1_000, 10_000_000] },
)
