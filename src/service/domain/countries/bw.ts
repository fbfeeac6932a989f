import { countryOfOneProvider } from './country.ts'

export const bw = countryOfOneProvider(
  {
    code: 'BW',
    name: 'Botswana',
    currency: 'BWP',
    digits: 2,
    per_shilling: 0.1,
    coin: 0.05,
    dial_code: '267',
    utc_offset_hours: 2,
    holidays: '01-01 01-02 05-01 07-01 09-30 10-01 12-25 12-26',
    identifies_payout_owner: false,
    test_numbers: { block: '26771000', local: '71000' },
    mobile: /^7/,
    identity: {
      name: 'Omang',
      pattern: '####1####',
      form: /^\d{4}[12]\d{4}$/,
      expected: 'an Omang of nine digits, the fifth of which is 1 or 2',
    },
    demo_balance: 10_000,
  },
  { momo: [1, 10_000], bank: [10, 50_000] },
)
