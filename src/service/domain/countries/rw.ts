import { CARRIERS, operator, countryOfOneProvider } from './country.ts'

export const rw = countryOfOneProvider(
  {
    code: 'RW',
    name: 'Rwanda',
    currency: 'RWF',
    digits: 0,
    per_shilling: 11,
    dial_code: '250',
    utc_offset_hours: 2,
    identifies_payout_owner: false,
    test_numbers: { block: '250780000', local: '0780000' },
    numbering: {
      mobile: /^7/,
      source: CARRIERS,
      operators: [
        operator('MTN Rwanda', ['MTN MoMo'], '78-79'),
        operator('Airtel Rwanda', ['Airtel Money'], '72-73'),
      ],
    },
    demo_balance: 1_000_000,
  },
  { names: ['MTN MoMo', 'Airtel Money'], limits: [100, 2_000_000] },
  { names: ['Bank of Kigali', 'Equity Bank', 'I&M Bank'], limits: [1_000, 10_000_000] },
)
