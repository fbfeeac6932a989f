import { countryOfOneProvider } from './country.ts'

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
    magic: { block: '255740000', local: '0740000' },
    demo_balance: 2_000_000,
  },
  { names: ['M-Pesa', 'Mixx by Yas', 'Airtel Money', 'HaloPesa'], limits: [100, 3_000_000] },
  { names: ['CRDB Bank', 'NMB Bank', 'NBC Bank'], limits: [1_000, 10_000_000] },
)
