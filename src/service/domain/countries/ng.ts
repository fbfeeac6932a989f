import { countryOfOneProvider } from './country.ts'

export const ng = countryOfOneProvider(
  {
    code: 'NG',
    name: 'Nigeria',
    currency: 'NGN',
    digits: 2,
    per_shilling: 11,
    coin: 5,
    dial_code: '234',
    utc_offset_hours: 1,
    holidays: '01-01 05-01 06-12 10-01 12-25 12-26',
    identifies_payout_owner: true,
    test_numbers: { block: '2348030000', local: '08030000' },
    mobile: /^[789]\d{9}$/,
    identity: {
      name: 'NIN',
      pattern: '###########',
      form: /^\d{11}$/,
      expected: 'the eleven digits of a National Identification Number',
    },
    accounts: {
      form: /^\d{10}$/,
      expected: 'the ten digits of a NUBAN',
      source: 'Central Bank of Nigeria, standards on the Nigeria Uniform Bank Account Number, 2020',
      provenance: 'observed',
    },
    demo_balance: 1_000_000,
  },
  { momo: [100, 1_000_000], bank: [100, 5_000_000] },
)
