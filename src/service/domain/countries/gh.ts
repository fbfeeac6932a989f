import { CARRIERS, operator, assumedOperator, countryOfOneProvider } from './country.ts'

export const gh = countryOfOneProvider(
  {
    code: 'GH',
    name: 'Ghana',
    currency: 'GHS',
    digits: 2,
    per_shilling: 0.085,
    dial_code: '233',
    utc_offset_hours: 0,
    identifies_payout_owner: false,
    test_numbers: { block: '233240000', local: '0240000' },
    numbering: {
      mobile: /^[25]/,
      source: CARRIERS,
      operators: [
        operator('MTN Ghana', ['MTN MoMo'], '24 54 553-558 59'),
        operator('Telecel Ghana', ['Telecel Cash'], '20 50'),
        operator('AT Ghana', ['AT Money'], '26-27 56-57'),
        assumedOperator('Glo', '23', `${CARRIERS}, have it as AT’s`),
      ],
    },
    demo_balance: 10_000,
  },
  { names: ['MTN MoMo', 'Telecel Cash', 'AT Money'], limits: [1, 10_000] },
  { names: ['GCB Bank', 'Ecobank', 'Absa Bank Ghana'], limits: [10, 50_000] },
)
