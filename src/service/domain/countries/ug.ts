import { countryOfOneProvider, AIRTEL, BATCHES, MTN, REGULATOR, market, noMoney } from './country.ts'

export const ug = countryOfOneProvider(
  {
    code: 'UG',
    name: 'Uganda',
    currency: 'UGX',
    digits: 0,
    per_shilling: 28,
    coin: 10,
    dial_code: '256',
    utc_offset_hours: 3,
    holidays: '01-01 01-26 02-16 03-08 05-01 06-03 06-09 10-09 12-25 12-26',
    identifies_payout_owner: false,
    test_numbers: { block: '256770000', local: '0770000' },
    mobile: /^7/,
    identity: {
      name: 'NIN',
      pattern: 'CM#########AAA',
      form: /^C[MF][\dA-Z]{12}$/,
      expected: 'the fourteen characters of a National Identification Number, which begin with CM or CF',
    },
    demo_balance: 3_000_000,
    market: market(
      'UG',
      [
        ['MTN MoMo', 'MTN Uganda', '76-78', 57, MTN],
        ['Airtel Money', 'Airtel Uganda', '70 74-75', 43, AIRTEL],
      ],
      [
        ['Stanbic Bank', 45, { account: '90300########', receipt: 'finacle' }],
        ['Centenary Bank', 38, { account: '3#########' }],
        ['dfcu Bank', 17, { account: '010##########', receipt: 'finacle' }],
      ],
      { shares: REGULATOR, others: [noMoney('Uganda Telecom', '71')], bank: { clears: BATCHES }, fails: 1.1 },
    ),
  },
  { momo: [500, 5_000_000], bank: [5_000, 20_000_000] },
)
