import { countryOfOneProvider } from './country.ts'

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
  },
  { momo: [1, 10_000], bank: [10, 50_000] },
)
