import { byRail, type Rail } from '../../vocabulary/rails.ts'

/** A network of a provider, in the form of discovery and of `provider_config`; amounts in major units. */
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

/** Who gave out a number first. */
export interface Operator {
  readonly name: string
  /** The networks of mobile money, by `network_name`, that only its own numbers are on. */
  readonly networks: readonly string[]
  /** What its numbers begin with in the country, without the trunk zero: `71`, or `740-743` for several. */
  readonly prefixes: string
  /** What the source of the plan says instead, where the prefixes are not from there. */
  readonly assumed?: string
}

/** The mobile numbers of a country. */
interface NumberingPlan {
  /** What the national digits of a mobile number begin with. */
  readonly mobile: RegExp
  readonly operators: readonly Operator[]
  /** Where the prefixes are published. */
  readonly source: string
}

/** What the number of a bank account looks like. */
interface AccountForm {
  readonly form: RegExp
  /** In words, after `must be`. */
  readonly expected: string
  readonly source: string
  /** Whether the form is published, or made up here. */
  readonly provenance: 'observed' | 'assumed'
  /** The codes that the check digit of an account is made with, by the `network_name` of the bank. */
  readonly bank_codes?: { readonly [network_name: string]: string }
}

/** What a country's file says of it, beside what it offers. */
interface CountryFacts {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
  /** ISO 4217, with its digits after the decimal point. */
  readonly currency: string
  readonly digits: number
  /** How many of the currency one Kenya shilling buys; costs and limits are given in shillings (assumed). */
  readonly per_shilling: number
  /** Without a plus sign. */
  readonly dial_code: string
  /** How far its clocks are before UTC; none of those served has summer time. */
  readonly utc_offset_hours: number
  /** Payouts need the fund owner's `id_type` and `id_number` (specification 4.5). */
  readonly identifies_payout_owner: boolean
  /**
   * The first digits of a thousand mobile numbers that are kept for scenarios, as they are dialled abroad (without a plus
   * sign) and in the country. They must be valid, and no ordinary number of the sandbox may be among them.
   */
  readonly magic: { readonly block: string; readonly local: string }
  readonly numbering: NumberingPlan
  /** The form of bank accounts; anything but a blank is accepted if omitted. */
  readonly accounts?: AccountForm
  /** What the Team of the default world holds of the currency, major units. */
  readonly demo_balance: number
}

export interface Country extends CountryFacts {
  /** The providers of each rail; a rail without one is closed. */
  readonly providers: { readonly [R in Rail]: readonly string[] }
  readonly networks: { readonly [provider: string]: readonly Network[] }
  /** Networks whose ids, code and limits are observed; those of all others are made up (assumed). */
  readonly observed: ReadonlySet<Network>
}

/** A network in a country's table: its name and code, and the ids that are observed; where there are none, they are made. */
export type NetworkOffer = readonly [
  name: string,
  code: string,
  observed?: Pick<Network, 'network_id' | 'channel_id'>,
]

/** One row of a country's table: a rail, the provider behind it, and its networks. */
interface Offer {
  readonly rail: Rail
  readonly provider: string
  readonly limits: readonly [min: number, max: number]
  readonly networks: readonly NetworkOffer[]
}

/** Builds a country from its facts and offers; ids that are not observed are made from the names and mean nothing. */
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
 * A country where one provider stands behind mobile money and banks, and cards are taken on a hosted page. The names of
 * operators and banks are real; their codes and limits are made up (assumed).
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

/** Cards on a page of the provider's; the rail is open so that its flow can be tried (assumed). */
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
/** The tables know no such operator there, but the prefix as another's. */
export const assumedOperator = (name: string, prefixes: string, why: string) => ({
  ...operator(name, [], prefixes),
  assumed: why,
})
/**
 * Operators' prefixes are observed, as libphonenumber's tables of carriers have them, unless the operator is assumed. Networks that take the
 * numbers of every operator, such as OPay, are not named.
 */
export const CARRIERS = 'libphonenumber 9.0.43, tables of carriers'

// Bank accounts and short codes that are kept for scenarios, as blocks of mobile numbers are: the last three digits say which is
// meant. No bank numbers its accounts so, and no paybill or till begins with a zero.

/** What a bank account of scenarios begins with, in every country; ten digits in all. */
export const KEPT_ACCOUNTS = '9900000'
/** What a paybill or till of scenarios begins with; seven digits in all. */
export const KEPT_SHORT_CODES = '0000'

const ENDING = /^(?:9900000|0000)(\d{3})(?:#.*)?$/

/** The three digits that it ends in, when it is one of those; of a paybill without what follows `#`. */
export const keptEnding = (party: string): string | undefined => ENDING.exec(party)?.[1]
