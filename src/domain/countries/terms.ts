import type { Currency } from '../money.ts'

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

export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
  readonly currency: Currency
  /** Without a plus sign. */
  readonly dial_code: string
  /** Payouts need the fund owner's `id_type` and `id_number` (specification 4.5). */
  readonly identifies_payout_owner: boolean
  /** The providers of each rail; a rail without one is closed. */
  readonly providers: { readonly [R in Rail]: readonly string[] }
  readonly networks: { readonly [provider: string]: readonly Network[] }
}

/** One row of a country's table: a rail, the provider behind it, and name and code of each network. */
export interface Offer {
  readonly rail: Rail
  readonly provider: string
  readonly limits: readonly [min: number, max: number]
  readonly networks: readonly (readonly [name: string, code: string])[]
}

type Facts = Omit<Country, 'providers' | 'networks' | 'code'>

/** Builds a country from its facts and offers; ids are made from the names and mean nothing. */
export function country(code: string, facts: Facts, offers: readonly Offer[]): Country {
  const providers = { momo: [] as string[], bank: [] as string[], card: [] as string[] }
  const networks: Record<string, Network[]> = {}
  for (const offer of offers) {
    providers[offer.rail].push(offer.provider)
    const list = (networks[offer.provider] ??= [])
    for (const [name, networkCode] of offer.networks) list.push(networkOf(code, offer, name, networkCode))
  }
  return { code, ...facts, providers, networks }
}

function networkOf(country: string, { rail, provider, limits }: Offer, name: string, code: string): Network {
  const slug = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
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
