import type { ProviderNetwork } from '../../../generated/service/types.ts'
import { byRail, type Rail } from '../../vocabulary/rails.ts'
import { CARRIERS, type Market, type NetworkFacts, type Operator } from './networks.ts'

/** A network of a provider as in discovery and `provider_config`; amounts in major units. */
export type Network = ProviderNetwork & { readonly account_type: Rail }

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
