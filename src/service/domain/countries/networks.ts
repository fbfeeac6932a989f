/**
 * The table of networks: mobile money, banks and card schemes of every country. Discovery, receipts, results,
 * generated histories and `realism` read it. A fact without a source is assumed.
 */
import { kenyanBanks } from './kenyan-banks.ts'
import type { Rail, Wording } from '../../vocabulary/rails.ts'
import type { Direction } from '../../vocabulary/terms.ts'

/** Whose receipts look alike; `references.ts` writes them. */
export type ReceiptForm =
  | 'mpesa'
  | 'digits10'
  | 'digits11'
  | 'digits22'
  | 'dotted'
  | 'opay'
  | 'bank'
  | 'finacle'
  | 'flexcube'
  | 'nip'
  | 'card'

export interface NetworkFacts {
  readonly name: string
  /** The value of `network_code` in discovery. */
  readonly code: string
  /** The value of `network_code` in the legacy endpoints, if they serve it. */
  readonly legacy_code?: string
  /** Its ids in discovery, if they are observed; others are generated. */
  readonly ids?: { readonly network_id: string; readonly channel_id: string }
  /** Relative number of payments on its rail in its country. */
  readonly share: number
  readonly receipt: ReceiptForm
  /** Whether the form is that of another operator. */
  readonly receipt_assumed?: true
  /** Whose texts its results have; the sandbox's own if omitted. */
  readonly words?: Wording
  /** The directions in which it accepts no decimals. */
  readonly whole?: Direction | 'both'
  /** Outages in thirty days, of any length. */
  readonly outages: number
  /** How often its payments fail, relative to the rail's usual rate (assumed); 1 if omitted. */
  readonly fails?: number
  /** What it charges in `realism: field`, relative to the usual cost (assumed); 1 if omitted. */
  readonly fee?: number
  /** The batches of the clearing house for which transfers wait (assumed); instant if omitted. */
  readonly clears?: Clearing
  /** When it is closed for maintenance, in its country's time (assumed). */
  readonly maintenance?: Maintenance
  /** Pattern of its accounts: each `#` is a digit. */
  readonly account?: string
  /** The bank's code in the check digit of its accounts. */
  readonly bank_code?: string
}

/** Hours of the day. */
export interface Clearing {
  /** The ends of the batches of a banking day. */
  readonly batches: readonly number[]
  /** Transfers must arrive this long before their batch. */
  readonly cut_off: number
}

export interface Maintenance {
  /** Monday is 0. */
  readonly weekday: number
  /** Hours of the day. */
  readonly from: number
  readonly to: number
}

/** The operator to which a number was first assigned. */
export interface Operator {
  readonly name: string
  /** Mobile-money networks by `network_name` that only this operator's numbers use. */
  readonly networks: readonly string[]
  /** Prefixes of its numbers without the trunk zero: `71`, or `740-743` for several. */
  readonly prefixes: string
  /** What the plan's source says, if the prefixes are not taken from it. */
  readonly assumed?: string
}

interface Facts {
  readonly operators: readonly Operator[]
  readonly networks: { readonly [R in Rail]: readonly NetworkFacts[] }
  /** The source of the shares of mobile money; those of banks and cards are assumed. */
  readonly shares: string
}

type Extra = Partial<Omit<NetworkFacts, 'name'>>

/** A network, and the prefixes of its operator; both are empty if it accepts every number. */
type Mobile = readonly [name: string, operator: string, prefixes: string, share: number, facts: Extra]
type Bank = readonly [name: string, share: number, facts?: Extra]

/** Outages of networks in thirty days, if they have no row of their own (assumed). */
const OUTAGES = { momo: 3, bank: 4, card: 1 } as const
/** The morning's, the noon's and the last batch. */
const BATCHES: Clearing = { batches: [10.5, 13.5, 16.5], cut_off: 1 }
/** The night in which networks are maintained. */
const SUNDAY_NIGHT: Maintenance = { weekday: 6, from: 0, to: 2 }

const card = (code: string, name: string, share: number): NetworkFacts => ({
  name,
  code,
  share,
  receipt: 'card',
  outages: OUTAGES.card,
  fee: 2,
})

/** Cards on the provider's hosted page; assumed, so that the flow can be tried. */
const cards = (visa: number) => [card('visa', 'Visa', visa), card('mastercard', 'Mastercard', 100 - visa)]

/** Codes are derived from the country and the position, unless a fact says otherwise. */
function facts(
  country: string,
  mobile: readonly Mobile[],
  banks: readonly Bank[],
  more: {
    readonly shares: string
    readonly others?: readonly Operator[]
    readonly bank?: Extra
    readonly visa?: number
    /** For networks of the country without a value of their own. */
    readonly fails?: number
  },
): Facts {
  const code = (letter: string, index: number) => `${country}${letter}${String(index + 1).padStart(2, '0')}`
  const fails = more.fails === undefined ? {} : { fails: more.fails }
  const owned = mobile.filter(([, operator]) => operator !== '')
  return {
    shares: more.shares,
    operators: [
      ...owned.map(([name, operator, prefixes]) => ({ name: operator, networks: [name], prefixes })),
      ...(more.others ?? []),
    ],
    networks: {
      momo: mobile.map(([name, , , share, extra], index) => ({
        name,
        code: code('M', index),
        share,
        receipt: 'digits11',
        outages: OUTAGES.momo,
        // The rows of `rails.ts` are M-Pesa's.
        ...(extra.receipt !== 'mpesa' && { words: 'wallet' as const }),
        ...fails,
        ...extra,
      })),
      bank: banks.map(([name, share, extra], index) => ({
        name,
        code: code('B', index),
        share,
        receipt: 'bank',
        outages: OUTAGES.bank,
        ...fails,
        ...more.bank,
        ...extra,
      })),
      card: cards(more.visa ?? 70).map((each) => ({ ...each, ...fails })),
    },
  }
}

const MPESA = { receipt: 'mpesa', outages: 2 } as const
const MTN = { receipt: 'digits11', words: 'mtn', maintenance: SUNDAY_NIGHT } as const
const AIRTEL = { receipt: 'dotted', words: 'airtel', fee: 0.9 } as const
const ORANGE = { receipt: 'dotted' } as const
const DOTTED = { receipt: 'dotted', receipt_assumed: true } as const
const REGULATOR = 'assumed, in the order of the regulator’s figures'

/** An operator without mobile money. */
const noMoney = (name: string, prefixes: string, assumed?: string): Operator => ({
  name,
  networks: [],
  prefixes,
  ...(assumed && { assumed }),
})

/**
 * Operators' prefixes are observed in libphonenumber's carrier tables, unless the operator is assumed. Networks that
 * accept numbers of every operator, such as OPay, have no prefixes.
 */
export const CARRIERS = 'libphonenumber 9.0.43, tables of carriers'

/** Ten digits with the check digit of the bank. */
const nuban = (bank_code: string): Extra => ({ bank_code, receipt: 'nip', words: 'nip' })

/** The same code in discovery and in the legacy endpoints. */
const codes = (code: string) => ({ code, legacy_code: code })

const kenya = facts(
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
      { ...AIRTEL, ...codes('63903'), fails: 1.3 },
    ],
    ['T-Kash', 'Telkom Kenya', '77', 0.1, { ...DOTTED, ...codes('63907'), fails: 1.8 }],
  ],
  [],
  {
    shares: 'Communications Authority of Kenya, quarter to September 2025',
    others: [
      noMoney('Jamii Telecommunications', '747'),
      noMoney('Finserve Africa', '763-766', `${CARRIERS}, have them as Airtel’s`),
    ],
  },
)

export const networkTable = {
  KE: {
    ...kenya,
    networks: {
      ...kenya.networks,
      bank: kenyanBanks.map(({ name, code, share, account }): NetworkFacts => ({
        name,
        code,
        share,
        account,
        receipt: 'bank',
        outages: OUTAGES.bank,
        // Banks of this size are members of the instant scheme (assumed).
        ...(share < 5 && { clears: BATCHES }),
      })),
    },
  },
  TZ: facts(
    'TZ',
    [
      ['M-Pesa', 'Vodacom Tanzania', '74-76 79', 37, { ...MPESA, receipt_assumed: true }],
      ['Mixx by Yas', 'Yas', '65 67 70-71 77', 30, { whole: 'both', fails: 1.05 }],
      ['Airtel Money', 'Airtel Tanzania', '66 68-69 78', 22, AIRTEL],
      ['HaloPesa', 'Halotel', '61-63', 8, { receipt: 'digits10', whole: 'both', fails: 1.4 }],
    ],
    [
      ['CRDB Bank', 40, { account: '0150#########' }],
      ['NMB Bank', 42, { account: '2##10######', receipt: 'flexcube' }],
      ['NBC Bank', 18, { account: '0111########', receipt: 'flexcube' }],
    ],
    {
      shares: 'Tanzania Communications Regulatory Authority, quarter to September 2023',
      fails: 1.15,
      others: [noMoney('TTCL', '73')],
    },
  ),
  ZM: facts(
    'ZM',
    [
      ['MTN MoMo', 'MTN Zambia', '76 96', 45, MTN],
      ['Airtel Money', 'Airtel Zambia', '77 97', 36, AIRTEL],
      ['Zamtel Money', 'Zamtel', '75 95', 19, { receipt: 'digits10', fails: 1.6 }],
    ],
    [
      ['Zanaco', 55, { account: '0########1##' }],
      ['Stanbic Bank', 25, { account: '9130#########', receipt: 'finacle' }],
      ['FNB Zambia', 20, { account: '62#########' }],
    ],
    {
      shares: 'Zambia Information and Communications Technology Authority, subscribers of 2020',
      fails: 1.25,
      bank: { clears: BATCHES },
    },
  ),
  BW: facts(
    'BW',
    [
      ['Orange Money', 'Orange Botswana', '72 743-744 748 750-753 757 763-765 769', 81, ORANGE],
      ['MyZaka', 'Mascom', '71 740-742 745-747 754-756 759-762 766-767 776', 12, DOTTED],
      ['Smega', 'BTC', '73', 7, { receipt: 'digits10' }],
    ],
    [
      ['FNB Botswana', 50, { account: '62#########' }],
      ['Absa Bank Botswana', 28, { account: '1######', receipt: 'flexcube' }],
      ['Stanbic Bank', 22, { account: '9060#########', receipt: 'finacle' }],
    ],
    {
      shares: 'Botswana Communications Regulatory Authority, annual report of 2024, without BotswanaPost',
      bank: { clears: BATCHES },
      visa: 85,
      fails: 0.8,
    },
  ),
  NG: facts(
    'NG',
    [
      ['MTN MoMo', 'MTN Nigeria', '703 706 803 806 810 813-814 816 903 906 913 916', 8, MTN],
      [
        'SmartCash',
        'Airtel Nigeria',
        '701 708 802 808 812 901-902 904 907 912',
        4,
        { ...AIRTEL, receipt_assumed: true, whole: 'both' },
      ],
      ['OPay', '', '', 52, { receipt: 'opay', fails: 0.6, fee: 0.5 }],
      ['PalmPay', '', '', 36, { receipt: 'digits22', fails: 0.7, fee: 0.5 }],
    ],
    [
      ['Access Bank', 24, nuban('044')],
      ['GTBank', 22, nuban('058')],
      ['Zenith Bank', 20, nuban('057')],
      ['UBA', 19, nuban('033')],
      ['First Bank', 15, nuban('011')],
    ],
    {
      shares: REGULATOR,
      others: [noMoney('Glo', '705 805 807 811 815 905 915'), noMoney('9mobile', '809 817-818 908-909')],
      visa: 35,
      fails: 1.35,
    },
  ),
  UG: facts(
    'UG',
    [
      ['MTN MoMo', 'MTN Uganda', '76-78', 57, MTN],
      ['Airtel Money', 'Airtel Uganda', '70 74-75', 43, AIRTEL],
    ],
    [
      ['Stanbic Bank', 45, { account: '90300########', receipt: 'finacle' }],
      ['Centenary Bank', 38, { account: '3#########' }],
      ['dfcu Bank', 17, { account: '010##########', receipt: 'finacle' }],
    ],
    { shares: REGULATOR, others: [noMoney('Uganda Telecom', '71')], bank: { clears: BATCHES }, fails: 1.1 },
  ),
  GH: facts(
    'GH',
    [
      ['MTN MoMo', 'MTN Ghana', '24 54 553-558 59', 85, MTN],
      ['Telecel Cash', 'Telecel Ghana', '20 50', 9.5, { receipt: 'digits10', fails: 1.3 }],
      ['AT Money', 'AT Ghana', '26-27 56-57', 5.5, DOTTED],
    ],
    [
      ['GCB Bank', 45, { account: '1############' }],
      ['Ecobank', 35, { account: '1441#########', receipt: 'flexcube' }],
      ['Absa Bank Ghana', 20, { account: '0########1', receipt: 'flexcube' }],
    ],
    {
      shares: 'Ministry of Communications of Ghana, transactions of a quarter of 2022',
      fails: 0.95,
      others: [noMoney('Glo', '23', `${CARRIERS}, have it as AT’s`)],
    },
  ),
  RW: facts(
    'RW',
    [
      ['MTN MoMo', 'MTN Rwanda', '78-79', 80, MTN],
      ['Airtel Money', 'Airtel Rwanda', '72-73', 20, AIRTEL],
    ],
    [
      ['Bank of Kigali', 60, { account: '00040########' }],
      ['Equity Bank', 25, { account: '4001#########', receipt: 'finacle' }],
      ['I&M Bank', 15, { account: '2###########', receipt: 'finacle' }],
    ],
    {
      shares: 'Rwanda Utilities Regulatory Authority, accounts of June 2024',
      bank: { clears: BATCHES },
      fails: 0.85,
    },
  ),
} as const satisfies { readonly [country: string]: Facts }

export type CountryCode = keyof typeof networkTable

const byName = new Map(
  Object.entries<Facts>(networkTable).flatMap(([country, { networks }]) =>
    Object.entries(networks).flatMap(([rail, list]) =>
      list.map((facts) => [`${country} ${rail} ${facts.name}`, facts] as const),
    ),
  ),
)

/** @param name - as in discovery */
export const networkNamed = (country: string, rail: Rail, name: string): NetworkFacts | undefined =>
  byName.get(`${country} ${rail} ${name}`)

/** Returns the networks of a rail; none in a country that is not served. */
export const networksOn = (country: string, rail: Rail): readonly NetworkFacts[] =>
  (networkTable as { readonly [country: string]: Facts })[country]?.networks[rail] ?? []
