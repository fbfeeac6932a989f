import { countryOfOneProvider } from './country.ts'

export const ng = countryOfOneProvider(
  {
    code: 'NG',
    name: 'Nigeria',
    currency: 'NGN',
    digits: 2,
    per_shilling: 11,
    dial_code: '234',
    utc_offset_hours: 1,
    identifies_payout_owner: true,
    magic: { block: '2348030000', local: '08030000' },
    demo_balance: 1_000_000,
  },
  { names: ['MTN MoMo', 'SmartCash', 'OPay', 'PalmPay'], limits: [100, 1_000_000] },
  { names: ['Access Bank', 'GTBank', 'Zenith Bank', 'UBA', 'First Bank'], limits: [100, 5_000_000] },
)
