import { country, hostedCards } from './country.ts'

const mobile = [
  ['M-Pesa', '63902'],
  ['Airtel Money', '63903'],
  ['T-Kash', '63907'],
] as const
const momo = { rail: 'momo', limits: [1, 150_000] } as const
const bank = (provider: string, name: string, code: string) =>
  ({ rail: 'bank', provider, limits: [100, 999_999], networks: [[name, code]] }) as const

/** Providers, rails and network codes as observed. */
export const ke = country(
  {
    code: 'KE',
    name: 'Kenya',
    currency: 'KES',
    digits: 2,
    per_shilling: 1,
    dial_code: '254',
    identifies_payout_owner: false,
    magic: { block: '254700000', local: '0700000' },
    demo_balance: 100_000,
  },
  [
    { ...momo, provider: 'm-pesa', networks: [['M-Pesa', '63902']] },
    { ...momo, provider: 'mpesa_dc', networks: [['M-Pesa', '63902']] },
    { ...momo, provider: 'sasapay', networks: mobile },
    { ...momo, provider: 'yellowcard', networks: mobile },
    bank('kcb', 'KCB Bank', '01'),
    bank('equity', 'Equity Bank', '68'),
    bank('absa', 'Absa Bank Kenya', '03'),
    bank('stanbic', 'Stanbic Bank', '31'),
    bank('standard_chartered', 'Standard Chartered', '02'),
    bank('dtb', 'Diamond Trust Bank', '63'),
    bank('i&m', 'I&M Bank', '57'),
    hostedCards([10, 500_000]),
  ],
)
