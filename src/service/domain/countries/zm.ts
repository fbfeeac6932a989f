import { CARRIERS, operator, countryOfOneProvider } from './country.ts'

export const zm = countryOfOneProvider(
  {
    code: 'ZM',
    name: 'Zambia',
    currency: 'ZMW',
    digits: 2,
    per_shilling: 0.18,
    dial_code: '260',
    utc_offset_hours: 2,
    identifies_payout_owner: true,
    test_numbers: { block: '260950000', local: '0950000' },
    numbering: {
      mobile: /^[579]/,
      source: CARRIERS,
      operators: [
        operator('MTN Zambia', ['MTN MoMo'], '76 96'),
        operator('Airtel Zambia', ['Airtel Money'], '77 97'),
        operator('Zamtel', ['Zamtel Money'], '75 95'),
      ],
    },
    demo_balance: 20_000,
  },
  { names: ['MTN MoMo', 'Airtel Money', 'Zamtel Money'], limits: [1, 20_000] },
  { names: ['Zanaco', 'Stanbic Bank', 'FNB Zambia'], limits: [10, 100_000] },
)
