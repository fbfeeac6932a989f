/**
 * The facts of a country and its networks: mobile money, banks and card schemes. Discovery, receipts, results, generated
 * histories and `realism` read them. A fact without a source is assumed.
 */
import type { ProviderNetwork } from '../../../generated/service/types.ts'
import { byRail, type Rail, type Wording } from '../../vocabulary/rails.ts'
import type { Direction } from '../../vocabulary/terms.ts'

/** A network of a provider as in discovery and `provider_config`; amounts in major units. */
export type Network = ProviderNetwork & { readonly account_type: Rail }

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

interface Maintenance {
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

export interface Market {
  readonly operators: readonly Operator[]
  readonly networks: { readonly [R in Rail]: readonly NetworkFacts[] }
  /** The source of the shares of mobile money; those of banks and cards are assumed. */
  readonly shares: string
}

export type Extra = Partial<Omit<NetworkFacts, 'name'>>

/** A network, and the prefixes of its operator; both are empty if it accepts every number. */
type Mobile = readonly [name: string, operator: string, prefixes: string, share: number, facts: Extra]
type Bank = readonly [name: string, share: number, facts?: Extra]

/** Outages of networks in thirty days, if they have no row of their own (assumed). */
const OUTAGES = { momo: 3, bank: 4, card: 1 } as const
/** The morning's, the noon's and the last batch. */
export const BATCHES: Clearing = { batches: [10.5, 13.5, 16.5], cut_off: 1 }
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

/** Builds the networks of a country. Codes are derived from the country and the position, unless a fact says otherwise. */
export function market(
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
): Market {
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

export const MPESA = { receipt: 'mpesa', outages: 2 } as const
export const MTN = { receipt: 'digits11', words: 'mtn', maintenance: SUNDAY_NIGHT } as const
export const AIRTEL = { receipt: 'dotted', words: 'airtel', fee: 0.9 } as const
export const DOTTED = { receipt: 'dotted', receipt_assumed: true } as const
export const REGULATOR = 'assumed, in the order of the regulator’s figures'

/** An operator without a network in the table, such as TTCL, whose T-Pesa has three percent of the accounts in Tanzania. */
export const noMoney = (name: string, prefixes: string, assumed?: string): Operator => ({
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

interface NumberingPlan {
  readonly operators: readonly Operator[]
  readonly source: string
}

interface AccountForm {
  readonly form: RegExp
  /** Completes the error message `must be …`. */
  readonly expected: string
  readonly source: string
  readonly provenance: 'observed' | 'assumed'
}

/** The national identity document of individuals, as the issuer publishes it. */
interface IdentityForm {
  /** Such as `NRC`; also a value of `id_type`. */
  readonly name: string
  /** For generated numbers: `#` is a digit, `YYYY` and `MMDD` are a date of birth, trailing `A` are capitals. */
  readonly pattern: string
  readonly form: RegExp
  /** Completes the error message `must be …`. */
  readonly expected: string
}

interface CountryFacts {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
  /** ISO 4217; `digits` are those after the decimal point. */
  readonly currency: string
  readonly digits: number
  /** Units of the currency per Kenya shilling; costs and limits are in shillings (assumed). */
  readonly per_shilling: number
  /** Charges are multiples of it, major units (assumed). */
  readonly coin: number
  /** Without a plus sign. */
  readonly dial_code: string
  /** Offset from UTC; none of the countries uses daylight saving time. */
  readonly utc_offset_hours: number
  /** Public holidays on which banks are closed, month and day; without Easter and those of the lunar calendar. */
  readonly holidays: string
  /** Whether payouts need the fund owner's `id_type` and `id_number` (specification 4.5). */
  readonly identifies_payout_owner: boolean
  /**
   * The prefix of a thousand mobile numbers reserved for scenarios, in international (without plus sign) and local
   * form. They must be valid, and the sandbox must not generate them as ordinary numbers.
   */
  readonly test_numbers: { readonly block: string; readonly local: string }
  /** The beginning of the national digits of mobile numbers. */
  readonly mobile: RegExp
  readonly identity: IdentityForm
  /** If omitted, any non-blank account is accepted. */
  readonly accounts?: AccountForm
  /** The initial balance of the default world's Team, major units. */
  readonly demo_balance: number
  readonly market: Market
}

export interface Country extends CountryFacts {
  readonly numbering: NumberingPlan
  /** Providers by rail; a rail without providers is closed. */
  readonly providers: { readonly [R in Rail]: readonly string[] }
  readonly networks: { readonly [provider: string]: readonly Network[] }
  /** Networks with observed ids, code and limits; those of all others are assumed. */
  readonly observed: ReadonlySet<Network>
}

/** A provider's networks on a rail. */
interface Offer {
  readonly rail: Rail
  readonly provider: string
  readonly limits: readonly [min: number, max: number]
  /** All of the rail by default. */
  readonly networks?: readonly NetworkFacts[]
}

/** Builds a country from its facts and offers; generated ids are derived from names and have no meaning. */
export function country(facts: CountryFacts, offers: readonly Offer[]): Country {
  const { code, market } = facts
  // `npm run generate` runs before the compiler has seen a new country.
  if (!market)
    throw new Error(
      `country ${code} has no market: add it to src/service/domain/countries/${code.toLowerCase()}.ts`,
    )
  const providers = byRail((): string[] => [])
  const networks: Record<string, Network[]> = {}
  const observed = new Set<Network>()
  for (const offer of offers) {
    providers[offer.rail].push(offer.provider)
    const list = (networks[offer.provider] ??= [])
    for (const each of offer.networks ?? market.networks[offer.rail]) {
      const network = { ...networkOf(code, offer, each), ...each.ids }
      list.push(network)
      if (each.ids) observed.add(network)
    }
  }
  return {
    ...facts,
    numbering: { operators: market.operators, source: CARRIERS },
    providers,
    networks,
    observed,
  }
}

function networkOf(
  country: string,
  { rail, provider, limits }: Offer,
  { name, code }: NetworkFacts,
): Network {
  const prefix = `${country.toLowerCase()}-${slug(provider)}`
  return {
    network_id: `${prefix}-${rail}-${slug(name)}`,
    provider_id: prefix,
    network_name: name,
    network_code: code,
    channel_id: `${prefix}-${rail}`,
    account_type: rail,
    min_amount: limits[0],
    max_amount: limits[1],
  }
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/**
 * Builds a country with one provider for mobile money and banks, and cards on a hosted page. Limits are assumed.
 */
export const countryOfOneProvider = (
  facts: CountryFacts,
  limits: { readonly momo: Offer['limits']; readonly bank: Offer['limits'] },
): Country =>
  country(facts, [
    { rail: 'momo', provider: 'yellowcard', limits: limits.momo },
    { rail: 'bank', provider: 'yellowcard', limits: limits.bank },
    { rail: 'card', provider: 'hosted_card', limits: limits.bank },
  ])

// Bank accounts and short codes reserved for scenarios, whose last three digits select the outcome. No bank uses such
// account numbers, and no paybill or till begins with a zero.

/** Followed by three digits, in every country. */
export const KEPT_ACCOUNTS = '9900000'
/** Followed by three digits: a paybill or till. */
export const KEPT_SHORT_CODES = '0000'

const ENDING = /^(?:9900000|0000)(\d{3})(?:#.*)?$/

/** Returns the three digits of a reserved number; ignores what follows `#` in a paybill. */
export const keptEnding = (party: string): string | undefined => ENDING.exec(party)?.[1]
