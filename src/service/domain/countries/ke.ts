import { banks } from '../kenyan-codes.ts'
import { country, hostedCards, type NetworkOffer } from './country.ts'

/** As observed. */
const mpesa: NetworkOffer = ['M-Pesa', 'MPESA', { network_id: 'm-pesa', channel_id: 'm-pesa' }]
/** Real operators; their codes are those of the legacy endpoints, which discovery was not seen to give (assumed). */
const mobile = [mpesa, ['Airtel Money', '63903'], ['T-Kash', '63907']] as const
const momo = { rail: 'momo', limits: [1, 150_000] } as const
/** The providers are observed, and the code of each bank; that discovery gives that code, and the limits, are assumed. */
const bank = (provider: string) => ({
  rail: 'bank' as const,
  provider,
  limits: [100, 999_999] as const,
  networks: banks.filter((each) => each.provider === provider).map(({ name, code }) => [name, code] as const),
})

/** Providers and the rails of banks and mobile money as observed; that cards are taken is assumed. */
export const ke = country(
  {
    code: 'KE',
    name: 'Kenya',
    currency: 'KES',
    digits: 2,
    per_shilling: 1,
    dial_code: '254',
    utc_offset_hours: 3,
    identifies_payout_owner: false,
    magic: { block: '254700000', local: '0700000' },
    demo_balance: 100_000,
  },
  [
    { ...momo, provider: 'm-pesa', networks: [mpesa] },
    { ...momo, provider: 'mpesa_dc', networks: [mpesa] },
    { ...momo, provider: 'sasapay', networks: mobile },
    { ...momo, provider: 'yellowcard', networks: mobile },
    bank('kcb'),
    bank('equity'),
    bank('absa'),
    bank('stanbic'),
    bank('standard_chartered'),
    bank('dtb'),
    bank('i&m'),
    hostedCards([10, 500_000]),
  ],
)
