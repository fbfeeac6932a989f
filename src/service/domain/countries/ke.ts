/**
 * Kenya, and the codes of operators and banks of the legacy, Kenya-based endpoints (specification 4.8, 4.9:
 * `network_code`).
 */
import { CARRIERS, operator, assumedOperator, country, hostedCards, type NetworkOffer } from './country.ts'

interface MobileNetwork {
  readonly code: string
  readonly name: string
}

/** Observed in public clients of the service. */
export const mobileNetworks: readonly MobileNetwork[] = [
  { code: '63902', name: 'M-Pesa' },
  { code: '63903', name: 'Airtel Money' },
  { code: '63907', name: 'T-Kash' },
]

/** Returns the network named in a legacy request, by its code or by a provider with a single network. */
export function networkOf(network_code: string | undefined, provider?: string): string | undefined {
  const named = mobileNetworks.find(({ code }) => code === network_code)
  if (named) return named.name
  return provider === 'm-pesa' || provider === 'mpesa_dc' ? mobileNetworks[0]!.name : undefined
}

export interface Bank {
  readonly code: string
  readonly name: string
  /**
   * The name in results: observed for the providers of the bank rail, derived from the bank's name for the others
   * (assumed).
   */
  readonly provider: string
}

const bank = (code: string, name: string, provider = slugOf(name)): Bank => ({ code, name, provider })

const slugOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '_')

/** Codes and names observed in the service's public list of banks. */
export const banks: readonly Bank[] = [
  bank('01', 'KCB Bank', 'kcb'),
  bank('02', 'Standard Chartered'),
  bank('03', 'Absa Bank Kenya', 'absa'),
  bank('07', 'NCBA'),
  bank('10', 'Prime'),
  bank('11', 'Co-operative'),
  bank('12', 'National'),
  bank('14', 'M-Oriental'),
  bank('16', 'Citi'),
  bank('18', 'Middle East'),
  bank('19', 'Bank of Africa'),
  bank('23', 'Consolidated'),
  bank('25', 'Credit'),
  bank('31', 'Stanbic Bank', 'stanbic'),
  bank('35', 'ABC'),
  bank('36', 'Choice MFB'),
  bank('43', 'Ecobank'),
  bank('50', 'Paramount'),
  bank('51', 'Kingdom'),
  bank('53', 'Guaranty'),
  bank('54', 'Victoria'),
  bank('55', 'Guardian'),
  bank('57', 'I&M Bank', 'i&m'),
  bank('61', 'HFC'),
  bank('63', 'Diamond Trust Bank', 'dtb'),
  bank('65', 'Mayfair'),
  bank('66', 'Sidian'),
  bank('68', 'Equity Bank', 'equity'),
  bank('70', 'Family'),
  bank('72', 'Gulf African'),
  bank('74', 'First Community'),
  bank('75', 'DIB'),
  bank('76', 'UBA'),
  bank('78', 'KWFT'),
]

const bankByCode = new Map(banks.map((each) => [each.code, each]))

export const findBank = (code: string): Bank | undefined => bankByCode.get(code)

/** Paybills by bank code, as published by the banks. */
const published: { readonly [code: string]: string } = {
  '01': '522522',
  '02': '329329',
  '03': '303030',
  '07': '880100',
  '11': '400200',
  '31': '600100',
  '57': '542542',
  '63': '516600',
  '66': '111999',
  '68': '247247',
  '70': '222111',
}

/** Paybills of all banks; those not published are derived from the bank's code (assumed). */
export const bankPaybills = banks.map(({ code, name }) => ({
  code,
  name,
  paybill: published[code] ?? `9900${code}`,
}))

/** Observed. */
const mpesa: NetworkOffer = ['M-Pesa', 'MPESA', { network_id: 'm-pesa', channel_id: 'm-pesa' }]
/** Real operators with the codes of the legacy endpoints; discovery was not observed to return them (assumed). */
const mobile = [mpesa, ['Airtel Money', '63903'], ['T-Kash', '63907']] as const
const momo = { rail: 'momo', limits: [1, 150_000] } as const
/** Providers and bank codes are observed; their use in discovery and the limits are assumed. */
const bankOffer = (provider: string) => ({
  rail: 'bank' as const,
  provider,
  limits: [100, 999_999] as const,
  networks: banks.filter((each) => each.provider === provider).map(({ name, code }) => [name, code] as const),
})

/** Providers and the rails of banks and mobile money are observed, cards are assumed. */
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
    test_numbers: { block: '254700000', local: '0700000' },
    numbering: {
      mobile: /^[17]/,
      source: CARRIERS,
      operators: [
        operator('Safaricom', ['M-Pesa'], '70-72 79 740-743 745-746 748 757-759 768-769 110-117'),
        operator('Airtel Kenya', ['Airtel Money'], '73 750-756 762 767 78 100-108'),
        operator('Telkom Kenya', ['T-Kash'], '77'),
        operator('Jamii Telecommunications', [], '747'),
        assumedOperator('Finserve Africa', '763-766', `${CARRIERS}, have them as Airtel’s`),
      ],
    },
    accounts: {
      form: /^\d{8,16}$/,
      expected: 'the 8 to 16 digits of a bank account',
      source: 'public figures differ by bank and by whom one asks; all are within these',
      provenance: 'assumed',
    },
    demo_balance: 100_000,
  },
  [
    { ...momo, provider: 'm-pesa', networks: [mpesa] },
    { ...momo, provider: 'mpesa_dc', networks: [mpesa] },
    { ...momo, provider: 'sasapay', networks: mobile },
    { ...momo, provider: 'yellowcard', networks: mobile },
    bankOffer('kcb'),
    bankOffer('equity'),
    bankOffer('absa'),
    bankOffer('stanbic'),
    bankOffer('standard_chartered'),
    bankOffer('dtb'),
    bankOffer('i&m'),
    hostedCards([10, 500_000]),
  ],
)
