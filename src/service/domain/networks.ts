/** Which network a global payment goes over: what `provider_config` names, on the rail and with the provider of the payment. */
import type { ProviderConfigInput } from '../../generated/service/requests.ts'
import { networksOf } from './countries/countries.ts'
import { isRail, type Rail, railNames } from '../vocabulary/rails.ts'
import type { Country, Network } from './countries/country.ts'
import { type Faults, noneLeft, notFound, type Readable, ServiceError } from './errors.ts'
import { mobileNetworks } from './countries/ke.ts'

type Sent = Omit<Readable<ProviderConfigInput>, 'network_name'>

/** The networks of a provider on a rail; none when one of these is at fault. */
function offered(faults: Faults, country: Country, rail: Rail, provider: string): readonly Network[] {
  const { code, providers, networks } = country
  const here = providers[rail]
  if (here.length === 0) {
    const open = railNames.filter((each) => providers[each].length > 0)
    faults.refuseWord('transaction_channel', rail, open, ` in ${code}`)
  } else if (!here.includes(provider))
    faults.refuseWord('provider', provider, here, ` for ${rail} in ${code}`)
  else return networks[provider]!.filter((each) => each.account_type === rail)
  return []
}

export interface Found {
  readonly network?: Network | undefined
  /** There is no network by the id that was sent: the refusal, once the values are right. */
  readonly missing?: ServiceError
}

/** The network of a payment; every field that the request sends of it must be that network's. */
export function readNetwork(
  faults: Faults,
  country: Country,
  rail: Rail,
  provider: string,
  sent: Sent = {},
): Found {
  const { network_id, network_code, provider_id, account_type, ...rest } = sent
  noneLeft(rest)
  const own = offered(faults, country, rail, provider)
  if (own.length === 0) return {}
  const network = network_id === undefined ? own[0] : byId(own, network_id)
  if (!network) return { missing: noNetwork(provider, own, network_id!) }
  if (network_code !== network.network_code && network_code !== legacyCode(country, network))
    requireOwn(faults, network, 'network_code', network_code)
  requireOwn(faults, network, 'provider_id', provider_id)
  requireOwn(faults, network, 'account_type', account_type)
  return { network }
}

/**
 * The same as older integrations name it: another provider's network, one by an id that nobody gave out here, or by its code in
 * another spelling. What else they send of it is not held against it.
 */
export function findNetwork(
  faults: Faults,
  country: Country,
  rail: Rail,
  provider: string,
  sent: Sent = {},
): Found {
  const { network_id, network_code, account_type } = sent
  const own = offered(faults, country, rail, provider)
  if (own.length === 0) return {}
  if (account_type !== undefined && account_type !== rail && isRail(account_type))
    requireOwn(faults, own[0]!, 'account_type', account_type)
  const all = [...own, ...networksOf(country, rail)]
  const found =
    (network_id === undefined ? undefined : byId(all, network_id)) ??
    (network_code === undefined ? undefined : byCode(country, all, network_code))
  if (found) return { network: found }
  if (network_id === undefined || UUID.test(network_id)) return { network: own[0] }
  return { missing: noNetwork(provider, own, network_id) }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const byId = (networks: readonly Network[], id: string) => networks.find((each) => each.network_id === id)

const byCode = (country: Country, networks: readonly Network[], code: string) =>
  networks.find((each) => bare(each.network_code) === bare(code) || legacyCode(country, each) === code)

/** `M PESA` and `m-pesa` are `MPESA`. */
const bare = (code: string) => code.replace(/[\s_-]/g, '').toUpperCase()

/** How Kenya's legacy endpoints know a network; undefined for all others. */
const legacyCode = ({ code }: Country, { network_name }: Network) =>
  code === 'KE' ? mobileNetworks.find(({ name }) => name === network_name)?.code : undefined

function requireOwn(
  faults: Faults,
  network: Network,
  field: 'network_code' | 'provider_id' | 'account_type',
  value: string | undefined,
): void {
  if (value === undefined || value === network[field]) return
  const expected = `must be ${network[field]}, as network ${network.network_id} has`
  faults.refuse(`provider_config.${field}`, value, expected)
}

function noNetwork(provider: string, own: readonly Network[], network_id: string): ServiceError {
  const { message, code } = notFound('provider_config.network_id', network_id)
  return new ServiceError(
    code,
    `${message}; ${provider} has ${own.map((each) => each.network_id).join(', ')}`,
  )
}
