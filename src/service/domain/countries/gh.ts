import { countryOfOneProvider, CARRIERS, DOTTED, MTN, market, noMoney } from './country.ts'

export const gh = countryOfOneProvider(
  {
    code: 'GH',
    name: 'Ghana',
    currency: 'GHS',
    digits: 2,
    per_shilling: 0.085,
    coin: 0.05,
    dial_code: '233',
    utc_offset_hours: 0,
    holidays: '01-01 01-07 03-06 05-01 07-01 09-21 12-25 12-26',
    identifies_payout_owner: false,
    test_numbers: { block: '233240000', local: '0240000' },
    mobile: /^[25]/,
    identity: {
      name: 'Ghana Card',
      pattern: 'GHA-#########-#',
      form: /^GHA-\d{9}-\d$/,
      expected: 'a Ghana Card number such as GHA-123456789-0',
    },
    demo_balance: 10_000,
    market: market(
      'GH',
      [
        ['MTN MoMo', 'MTN Ghana', '24 54 553-558 59', 85, MTN],
        ['Telecel Cash', 'Telecel Ghana', '20 50', 9.5, { receipt: 'digits10', fails: 1.3 }],
        ['AT Money', 'AT Ghana', '26-27 56-57', 5.5, DOTTED],
      ],
      [
        ['GCB Bank', 45, { account: '1############' }],
        ['Ecobank', 35, { account: '1441#########', receipt: 'flexcube' }],
        ['Absa Bank Ghana', 20, { account: '0########1', receipt: 'flexcube' }],
      ],
      {
        shares: 'Ministry of Communications of Ghana, transactions of a quarter of 2022',
        fails: 0.95,
        others: [noMoney('Glo', '23', `${CARRIERS}, have it as AT’s`)],
      },
    ),
  },
  { momo: [1, 10_000], bank: [10, 50_000] },
)
