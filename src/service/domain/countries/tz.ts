import { CARRIERS, operator, countryOfOneProvider } from './country.ts'

export const tz = countryOfOneProvider(
  {
    code: 'TZ',
    name: 'Tanzania',
    currency: 'TZS',
    digits: 2,
    per_shilling: 19,
    dial_code: '255',
    utc_offset_hours: 3,
    identifies_payout_owner: true,
    test_numbers: { block: '255740000', local: '0740000' },
    numbering: {
      mobile: /^[67]/,
      source: CARRIERS,
      operators: [
        operator('Vodacom Tanzania', ['M-Pesa'], '74-76 79'),
        operator('Yas', ['Mixx by Yas'], '65 67 70-71 77'),
        operator('Airtel Tanzania', ['Airtel Money'], '66 68-69 78'),
        operator('Halotel', ['HaloPesa'], '61-63'),
        operator('TTCL', [], '73'),
      ],
    },
    demo_balance: 2_000_000,
  },
  { names: ['M-Pesa', 'Mixx by Yas', 'Airtel Money', 'HaloPesa'], limits: [100, 3_000_000] },
  { names: ['CRDB Bank', 'NMB Bank', 'NBC Bank'], limits: [1_000, 10_000_000] },
)
