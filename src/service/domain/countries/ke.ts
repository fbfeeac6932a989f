/**
 * Kenya, and the codes of operators and banks of the legacy, Kenya-based endpoints (specification 4.8, 4.9:
 * `network_code`).
 */
import { country, AIRTEL, BATCHES, CARRIERS, DOTTED, market, MPESA, noMoney } from './country.ts'

/** A bank of the Kenya-based endpoints. */
interface KenyanBank {
  readonly code: string
  readonly name: string
  /**
   * The name in results: observed for the providers of the bank rail, derived from the bank's name for the others
   * (assumed).
   */
  readonly provider: string
  readonly share: number
  readonly account: string
  /** As published by the bank. */
  readonly paybill?: string
}

const slugOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '_')

/** @param share - relative number of transfers (assumed, in the order of the Central Bank's size of banks) */
const bank = (
  code: string,
  name: string,
  share: number,
  paybill?: string,
  account = '0#########',
  provider = slugOf(name),
): KenyanBank => ({ code, name, provider, share, account, ...(paybill && { paybill }) })

/** Codes and names observed in the service's public list of banks; forms of accounts are assumed. */
export const banks: readonly KenyanBank[] = [
  bank('01', 'KCB Bank', 210, '522522', '1#########', 'kcb'),
  bank('02', 'Standard Chartered', 40, '329329', '01########00'),
  bank('03', 'Absa Bank Kenya', 65, '303030', '20########', 'absa'),
  bank('07', 'NCBA', 75, '880100', '##########'),
  bank('10', 'Prime', 9),
  bank('11', 'Co-operative', 150, '400200', '0110#######500'),
  bank('12', 'National', 16, undefined, '010##########0'),
  bank('14', 'M-Oriental', 1),
  bank('16', 'Citi', 3),
  bank('18', 'Middle East', 1),
  bank('19', 'Bank of Africa', 6),
  bank('23', 'Consolidated', 2),
  bank('25', 'Credit', 3),
  bank('31', 'Stanbic Bank', 35, '600100', '01000########', 'stanbic'),
  bank('35', 'ABC', 3),
  bank('36', 'Choice MFB', 2),
  bank('43', 'Ecobank', 5),
  bank('50', 'Paramount', 1),
  bank('51', 'Kingdom', 4),
  bank('53', 'Guaranty', 3),
  bank('54', 'Victoria', 2),
  bank('55', 'Guardian', 1),
  bank('57', 'I&M Bank', 45, '542542', '0##########250', 'i&m'),
  bank('61', 'HFC', 6),
  bank('63', 'Diamond Trust Bank', 42, '516600', '0######001', 'dtb'),
  bank('65', 'Mayfair', 1),
  bank('66', 'Sidian', 7, '111999'),
  bank('68', 'Equity Bank', 230, '247247', '0##018#######', 'equity'),
  bank('70', 'Family', 28, '222111', '0##00000####0'),
  bank('72', 'Gulf African', 4),
  bank('74', 'First Community', 2),
  bank('75', 'DIB', 1),
  bank('76', 'UBA', 2),
  bank('78', 'KWFT', 6),
]

const networks = market(
  'KE',
  [
    [
      'M-Pesa',
      'Safaricom',
      '70-72 79 740-743 745-746 748 757-759 768-769 110-117',
      89.7,
      {
        ...MPESA,
        whole: 'payin',
        code: 'MPESA',
        legacy_code: '63902',
        ids: { network_id: 'm-pesa', channel_id: 'm-pesa' },
      },
    ],
    [
      'Airtel Money',
      'Airtel Kenya',
      '73 750-756 762 767 78 100-108',
      10.2,
      { ...AIRTEL, code: '63903', legacy_code: '63903', fails: 1.3 },
    ],
    ['T-Kash', 'Telkom Kenya', '77', 0.1, { ...DOTTED, code: '63907', legacy_code: '63907', fails: 1.8 }],
  ],
  // Banks of this size are members of the instant scheme (assumed).
  banks.map(({ name, code, share, account }) => [
    name,
    share,
    { code, account, ...(share < 5 && { clears: BATCHES }) },
  ]),
  {
    shares: 'Communications Authority of Kenya, quarter to September 2025',
    others: [
      noMoney('Jamii Telecommunications', '747'),
      noMoney('Finserve Africa', '763-766', `${CARRIERS}, have them as Airtel’s`),
    ],
  },
)
const { momo: mobile, bank: bankNetworks } = networks.networks

/** Mobile networks of the legacy endpoints; their codes are observed in public clients of the service. */
export const mobileNetworks = mobile.flatMap(({ name, legacy_code }) =>
  legacy_code === undefined ? [] : [{ name, code: legacy_code }],
)

/** Returns the network named in a legacy request, by its code or by a provider with a single network. */
export function networkByCode(network_code: string | undefined, provider?: string): string | undefined {
  const named = mobileNetworks.find(({ code }) => code === network_code)
  if (named) return named.name
  return provider === 'm-pesa' || provider === 'mpesa_dc' ? mobileNetworks[0]!.name : undefined
}

const bankByCode = new Map(banks.map((each) => [each.code, each]))

export const findBank = (code: string): KenyanBank | undefined => bankByCode.get(code)

/** Paybills of all banks; those not published are derived from the bank's code (assumed). */
export const bankPaybills = banks.map(({ code, name, paybill = `9900${code}` }) => ({ code, name, paybill }))

/** The other operators are real; discovery was not observed to return them (assumed). */
const mpesa = { networks: mobile.slice(0, 1) }
const momo = { rail: 'momo', limits: [1, 150_000] } as const
/** Providers and bank codes are observed; their use in discovery and the limits are assumed. */
const bankOffer = (provider: string) => ({
  rail: 'bank' as const,
  provider,
  limits: [100, 999_999] as const,
  networks: bankNetworks.filter((_, index) => banks[index]!.provider === provider),
})

/** Providers and the rails of banks and mobile money are observed, cards are assumed. */
export const ke = country(
  {
    code: 'KE',
    name: 'Kenya',
    currency: 'KES',
    digits: 2,
    per_shilling: 1,
    coin: 0.01,
    dial_code: '254',
    utc_offset_hours: 3,
    holidays: '01-01 05-01 06-01 10-10 10-20 12-12 12-25 12-26',
    identifies_payout_owner: false,
    test_numbers: { block: '254700000', local: '0700000' },
    mobile: /^[17]/,
    identity: {
      name: 'National ID',
      pattern: '2#######',
      form: /^\d{7,9}$/,
      expected: 'the seven to nine digits of a national identity card',
    },
    accounts: {
      form: /^\d{8,16}$/,
      expected: 'the 8 to 16 digits of a bank account',
      source: 'public figures differ by bank and by whom one asks; all are within these',
      provenance: 'assumed',
    },
    demo_balance: 100_000,
    market: networks,
  },
  [
    { ...momo, provider: 'm-pesa', ...mpesa },
    { ...momo, provider: 'mpesa_dc', ...mpesa },
    { ...momo, provider: 'sasapay' },
    { ...momo, provider: 'yellowcard' },
    bankOffer('kcb'),
    bankOffer('equity'),
    bankOffer('absa'),
    bankOffer('stanbic'),
    bankOffer('standard_chartered'),
    bankOffer('dtb'),
    bankOffer('i&m'),
    { rail: 'card', provider: 'hosted_card', limits: [10, 500_000] },
  ],
)
