import { invalid, notFound, ServiceError } from '../errors.ts'
import { bw } from './bw.ts'
import type { Country, Network, Rail } from './country.ts'
import { gh } from './gh.ts'
import { ke } from './ke.ts'
import { ng } from './ng.ts'
import { rw } from './rw.ts'
import { tz } from './tz.ts'
import { ug } from './ug.ts'
import { zm } from './zm.ts'

/** All countries served, in the order of lists and messages. A new one is a file beside this one, and its row here. */
export const countries: readonly Country[] = [ke, tz, zm, bw, ng, ug, gh, rw]

const byCode = new Map(countries.map((each) => [each.code, each]))

/** ISO codes of the countries served. */
export const servedCountries = [...byCode.keys()]

/** A served country by its code, whatever the case, or undefined. */
export const countryByCode = (code: string) => byCode.get(code.toUpperCase())

/**
 * A served country by its code.
 * @throws ServiceError that lists the countries served
 */
export function requireCountry(code: string, field = 'country'): Country {
  const found = countryByCode(code)
  if (found) return found
  throw invalid(`${field} "${code}" is not served; served are ${servedCountries.join(', ')}`)
}

/** Every network of a country, or those of one rail. */
export const networksOf = (country: Country, rail?: Rail): readonly Network[] =>
  Object.values(country.networks)
    .flat()
    .filter((network) => !rail || network.account_type === rail)

/**
 * The network that a `provider_config` names, on the rail and with the provider of the payment.
 * @throws ServiceError 400 when rail or provider are not open there, 404 when the provider has no such network
 */
export function requireNetwork(
  country: Country,
  rail: Rail,
  provider: string,
  network_id: string | undefined,
): Network {
  const providers = country.providers[rail]
  if (providers.length === 0) throw invalid(`transaction_channel "${rail}" is not open in ${country.code}`)
  if (!providers.includes(provider))
    throw invalid(
      `provider "${provider}" is not offered for ${rail} in ${country.code}; offered are ${providers.join(', ')}`,
    )
  const networks = country.networks[provider]!.filter((each) => each.account_type === rail)
  const found =
    network_id === undefined ? networks[0] : networks.find((each) => each.network_id === network_id)
  if (found) return found
  const { message, code } = notFound('provider_config.network_id', network_id ?? '')
  const known = networks.map((each) => each.network_id).join(', ')
  throw new ServiceError(code, `${message}; ${provider} has ${known}`)
}
