import { CARRIERS, operator, countryOfOneProvider } from './country.ts'

export const ug = countryOfOneProvider(
  {
    code: 'UG',
    name: 'Uganda',
    currency: 'UGX',
    digits: 0,
    per_shilling: 28,
    dial_code: '256',
    utc_offset_hours: 3,
    identifies_payout_owner: false,
    test_numbers: { block: '256770000', local: '0770000' },
    numbering: {
      mobile: /^7/,
      source: CARRIERS,
      operators: [
        operator('MTN Uganda', ['MTN MoMo'], '76-78'),
        operator('Airtel Uganda', ['Airtel Money'], '70 74-75'),
        operator('Uganda Telecom', [], '71'),
      ],
    },
    demo_balance: 3_000_000,
  },
  { names: ['MTN MoMo', 'Airtel Money'], limits: [500, 5_000_000] },
  { names: ['Stanbic Bank', 'Centenary Bank', 'dfcu Bank'], limits: [5_000, 20_000_000] },
)
