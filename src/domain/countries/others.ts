import type { Country } from './terms.ts'
import { country } from './terms.ts'

type Names = readonly string[]
type Limits = readonly [min: number, max: number]
type Facts = Pick<Country, 'name' | 'currency' | 'dial_code' | 'identifies_payout_owner'>

/** A country served through one provider; operators are real, their codes and limits are made up (assumed). */
function served(
  code: string,
  facts: Facts,
  momo: Names,
  banks: Names,
  limits: { momo: Limits; bank: Limits },
) {
  const coded = (names: Names, prefix: string) =>
    names.map((name, index) => [name, `${prefix}${String(index + 1).padStart(2, '0')}`] as const)
  return country(code, facts, [
    { rail: 'momo', provider: 'yellowcard', limits: limits.momo, networks: coded(momo, `${code}M`) },
    { rail: 'bank', provider: 'yellowcard', limits: limits.bank, networks: coded(banks, `${code}B`) },
    {
      rail: 'card',
      provider: 'hosted_card',
      limits: limits.bank,
      networks: [
        ['Visa', 'visa'],
        ['Mastercard', 'mastercard'],
      ],
    },
  ])
}

export const otherCountries = [
  served(
    'TZ',
    { name: 'Tanzania', currency: 'TZS', dial_code: '255', identifies_payout_owner: true },
    ['M-Pesa', 'Mixx by Yas', 'Airtel Money', 'HaloPesa'],
    ['CRDB Bank', 'NMB Bank', 'NBC Bank'],
    { momo: [100, 3_000_000], bank: [1_000, 10_000_000] },
  ),
  served(
    'ZM',
    { name: 'Zambia', currency: 'ZMW', dial_code: '260', identifies_payout_owner: true },
    ['MTN MoMo', 'Airtel Money', 'Zamtel Money'],
    ['Zanaco', 'Stanbic Bank', 'FNB Zambia'],
    { momo: [1, 20_000], bank: [10, 100_000] },
  ),
  served(
    'BW',
    { name: 'Botswana', currency: 'BWP', dial_code: '267', identifies_payout_owner: false },
    ['Orange Money', 'MyZaka', 'Smega'],
    ['FNB Botswana', 'Absa Bank Botswana', 'Stanbic Bank'],
    { momo: [1, 10_000], bank: [10, 50_000] },
  ),
  served(
    'NG',
    { name: 'Nigeria', currency: 'NGN', dial_code: '234', identifies_payout_owner: true },
    ['MTN MoMo', 'SmartCash', 'OPay', 'PalmPay'],
    ['Access Bank', 'GTBank', 'Zenith Bank', 'UBA', 'First Bank'],
    { momo: [100, 1_000_000], bank: [100, 5_000_000] },
  ),
  served(
    'UG',
    { name: 'Uganda', currency: 'UGX', dial_code: '256', identifies_payout_owner: false },
    ['MTN MoMo', 'Airtel Money'],
    ['Stanbic Bank', 'Centenary Bank', 'dfcu Bank'],
    { momo: [500, 5_000_000], bank: [5_000, 20_000_000] },
  ),
  served(
    'GH',
    { name: 'Ghana', currency: 'GHS', dial_code: '233', identifies_payout_owner: false },
    ['MTN MoMo', 'Telecel Cash', 'AT Money'],
    ['GCB Bank', 'Ecobank', 'Absa Bank Ghana'],
    { momo: [1, 10_000], bank: [10, 50_000] },
  ),
  served(
    'RW',
    { name: 'Rwanda', currency: 'RWF', dial_code: '250', identifies_payout_owner: false },
    ['MTN MoMo', 'Airtel Money'],
    ['Bank of Kigali', 'Equity Bank', 'I&M Bank'],
    { momo: [100, 2_000_000], bank: [1_000, 10_000_000] },
  ),
]
