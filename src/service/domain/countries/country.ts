export type Rail = 'momo' | 'bank' | 'card'

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
  /** What the Team of the default world holds of the currency, major units. */
  readonly demo_balance: number
}

export interface Country extends CountryFacts {
  /** The providers of each rail; a rail without one is closed. */
  readonly providers: { readonly [R in Rail]: readonly string[] }
  readonly networks: { readonly [provider: string]: readonly Network[] }
  /** Ids that networks had before what they have was observed; they are understood still. */
  readonly former: ReadonlyMap<string, Network>
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
  const providers = { momo: [] as string[], bank: [] as string[], card: [] as string[] }
  const networks: Record<string, Network[]> = {}
  const former = new Map<string, Network>()
  const observed = new Set<Network>()
  for (const offer of offers) {
    providers[offer.rail].push(offer.provider)
    const list = (networks[offer.provider] ??= [])
    for (const [name, code, ids] of offer.networks) {
      const made = networkOf(facts.code, offer, name, code)
      const network = { ...made, ...ids }
      list.push(network)
      if (!ids) continue
      former.set(made.network_id, network)
      observed.add(network)
    }
  }
  return { ...facts, providers, networks, former, observed }
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
