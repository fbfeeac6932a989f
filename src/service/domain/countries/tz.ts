import { countryOfOneProvider, AIRTEL, MPESA, market, noMoney } from './country.ts'

export const tz = countryOfOneProvider(
  {
    code: 'TZ',
    name: 'Tanzania',
    currency: 'TZS',
    digits: 2,
    per_shilling: 19,
    coin: 10,
    dial_code: '255',
    utc_offset_hours: 3,
    holidays: '01-01 01-12 04-07 04-26 05-01 07-07 08-08 10-14 12-09 12-25 12-26',
    identifies_payout_owner: true,
    test_numbers: { block: '255740000', local: '0740000' },
    mobile: /^[67]/,
    identity: {
      name: 'NIDA',
      pattern: 'YYYYMMDD-#####-#####-##',
      form: /^(?:19|20)\d{6}-?\d{5}-?\d{5}-?\d{2}$/,
      expected:
        'the twenty digits of the National Identification Authority, which begin with the date of birth',
    },
    demo_balance: 2_000_000,
    market: market(
      'TZ',
      [
        ['M-Pesa', 'Vodacom Tanzania', '74-76 79', 37, { ...MPESA, receipt_assumed: true }],
        ['Mixx by Yas', 'Yas', '65 67 70-71 77', 30, { whole: 'both', fails: 1.05 }],
        ['Airtel Money', 'Airtel Tanzania', '66 68-69 78', 22, AIRTEL],
        ['HaloPesa', 'Halotel', '61-63', 8, { receipt: 'digits10', whole: 'both', fails: 1.4 }],
      ],
      [
        ['CRDB Bank', 40, { account: '0150#########' }],
        ['NMB Bank', 42, { account: '2##10######', receipt: 'flexcube' }],
        ['NBC Bank', 18, { account: '0111########', receipt: 'flexcube' }],
      ],
      {
        shares: 'Tanzania Communications Regulatory Authority, quarter to September 2023',
        fails: 1.15,
        others: [noMoney('TTCL', '73')],
      },
    ),
  },
  { momo: [100, 3_000_000], bank: [1_000, 10_000_000] },
)
