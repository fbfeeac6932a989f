import { byRail, type Rail } from '../../vocabulary/rails.ts'

/** A network of a provider as in discovery and `provider_config`; amounts in major units. */
export interface Network {
  readonly network_id: string
  readonly provider_id: string
  readonly network_name: string
  readonly network_code: string
  readonly channel_id: string
  readonly account_type: Rail
  readonly min_amount: number
  readonly max_amount: number
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

interface NumberingPlan {
  /** The beginning of the national digits. */
  readonly mobile: RegExp
  readonly operators: readonly Operator[]
  readonly source: string
}

interface AccountForm {
  readonly form: RegExp
  /** Completes the error message `must be …`. */
  readonly expected: string
  readonly source: string
  readonly provenance: 'observed' | 'assumed'
  /** Bank codes for the check digit of an account, by `network_name`. */
  readonly bank_codes?: { readonly [network_name: string]: string }
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
  /** Without a plus sign. */
  readonly dial_code: string
  /** Offset from UTC; none of the countries uses daylight saving time. */
  readonly utc_offset_hours: number
  /** Whether payouts need the fund owner's `id_type` and `id_number` (specification 4.5). */
  readonly identifies_payout_owner: boolean
  /**
   * The prefix of a thousand mobile numbers reserved for scenarios, in international (without plus sign) and local
   * form. They must be valid, and the sandbox must not generate them as ordinary numbers.
   */
  readonly test_numbers: { readonly block: string; readonly local: string }
  readonly numbering: NumberingPlan
  /** If omitted, any non-blank account is accepted. */
  readonly accounts?: AccountForm
  /** The initial balance of the default world's Team, major units. */
  readonly demo_balance: number
}

export interface Country extends CountryFacts {
  /** Providers by rail; a rail without providers is closed. */
  readonly providers: { readonly [R in Rail]: readonly string[] }
  readonly networks: { readonly [provider: string]: readonly Network[] }
  /** Networks with observed ids, code and limits; those of all others are assumed. */
  readonly observed: ReadonlySet<Network>
}

/** A network's name, code, and observed ids; missing ids are generated. */
export type NetworkOffer = readonly [
  name: string,
  code: string,
  observed?: Pick<Network, 'network_id' | 'channel_id'>,
]

/** A provider's networks on a rail. */
interface Offer {
  readonly rail: Rail
  readonly provider: string
  readonly limits: readonly [min: number, max: number]
  readonly networks: readonly NetworkOffer[]
}

/** Builds a country from its facts and offers; generated ids are derived from names and have no meaning. */
export function country(facts: CountryFacts, offers: readonly Offer[]): Country {
  const providers = byRail((): string[] => [])
  const networks: Record<string, Network[]> = {}
  const observed = new Set<Network>()
  for (const offer of offers) {
    providers[offer.rail].push(offer.provider)
    const list = (networks[offer.provider] ??= [])
    for (const [name, code, ids] of offer.networks) {
      const made = networkOf(facts.code, offer, name, code)
      const network = { ...made, ...ids }
      list.push(network)
      if (ids) observed.add(network)
    }
  }
  return { ...facts, providers, networks, observed }
}

function networkOf(country: string, { rail, provider, limits }: Offer, name: string, code: string): Network {
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

type Names = readonly string[]
type Limits = Offer['limits']

/**
 * Builds a country with one provider for mobile money and banks, and cards on a hosted page. Names of operators and
 * banks are real; codes and limits are assumed.
 */
export function countryOfOneProvider(
  facts: CountryFacts,
  momo: { readonly names: Names; readonly limits: Limits },
  bank: { readonly names: Names; readonly limits: Limits },
): Country {
  const coded = (names: Names, prefix: string) =>
    names.map((name, index) => [name, `${prefix}${String(index + 1).padStart(2, '0')}`] as const)
  return country(facts, [
    {
      rail: 'momo',
      provider: 'yellowcard',
      limits: momo.limits,
      networks: coded(momo.names, `${facts.code}M`),
    },
    {
      rail: 'bank',
      provider: 'yellowcard',
      limits: bank.limits,
      networks: coded(bank.names, `${facts.code}B`),
    },
    hostedCards(bank.limits),
  ])
}

/** Cards on the provider's hosted page; assumed, so that the flow can be tried. */
export const hostedCards = (limits: Limits): Offer => ({
  rail: 'card',
  provider: 'hosted_card',
  limits,
  networks: [
    ['Visa', 'visa'],
    ['Mastercard', 'mastercard'],
  ],
})

export const operator = (name: string, networks: readonly string[], prefixes: string) => ({
  name,
  networks,
  prefixes,
})
/** For prefixes that the carrier tables assign to another operator. */
export const assumedOperator = (name: string, prefixes: string, why: string) => ({
  ...operator(name, [], prefixes),
  assumed: why,
})
/**
 * Operators' prefixes are observed in libphonenumber's carrier tables, unless the operator is assumed. Networks that
 * accept numbers of every operator, such as OPay, are omitted.
 */
export const CARRIERS = 'libphonenumber 9.0.43, tables of carriers'

// Bank accounts and short codes reserved for scenarios, whose last three digits select the outcome. No bank uses such
// account numbers, and no paybill or till begins with a zero.

/** Followed by three digits, in every country. */
export const KEPT_ACCOUNTS = '9900000'
/** Followed by three digits: a paybill or till. */
export const KEPT_SHORT_CODES = '0000'

const ENDING = /^(?:9900000|0000)(\d{3})(?:#.*)?$/

/** Returns the three digits of a reserved number; ignores what follows `#` in a paybill. */
export const keptEnding = (party: string): string | undefined => ENDING.exec(party)?.[1]
