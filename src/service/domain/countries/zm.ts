import { countryOfOneProvider, AIRTEL, BATCHES, MTN, market } from './country.ts'

export const zm = countryOfOneProvider(
  {
    code: 'ZM',
    name: 'Zambia',
    currency: 'ZMW',
    digits: 2,
    per_shilling: 0.18,
    coin: 0.05,
    dial_code: '260',
    utc_offset_hours: 2,
    holidays: '01-01 03-08 03-12 04-28 05-01 05-25 10-18 10-24 12-25',
    identifies_payout_owner: true,
    test_numbers: { block: '260950000', local: '0950000' },
    mobile: /^[579]/,
    identity: {
      name: 'NRC',
      pattern: '######/##/1',
      form: /^\d{6}\/\d{2}\/[1-3]$/,
      expected: 'a National Registration Card number such as 123456/10/1',
    },
    demo_balance: 20_000,
    market: market(
      'ZM',
      [
        ['MTN MoMo', 'MTN Zambia', '76 96', 45, MTN],
        ['Airtel Money', 'Airtel Zambia', '77 97', 36, AIRTEL],
        ['Zamtel Money', 'Zamtel', '75 95', 19, { receipt: 'digits10', fails: 1.6 }],
      ],
      [
        ['Zanaco', 55, { account: '0########1##' }],
        ['Stanbic Bank', 25, { account: '9130#########', receipt: 'finacle' }],
        ['FNB Zambia', 20, { account: '62#########' }],
      ],
      {
        shares: 'Zambia Information and Communications Technology Authority, subscribers of 2020',
        fails: 1.25,
        bank: { clears: BATCHES },
      },
    ),
  },
  { momo: [1, 20_000], bank: [10, 100_000] },
)
