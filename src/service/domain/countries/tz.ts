import { countryOfOneProvider } from './country.ts'

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
  },
  { momo: [100, 3_000_000], bank: [1_000, 10_000_000] },
)
