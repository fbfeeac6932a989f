import { networksOf, readCountry, requireCountry } from '../domain/countries/countries.ts'
import type { Country } from '../domain/countries/country.ts'
import { byRail, type Rail, railNames, rails } from '../vocabulary/rails.ts'
import { noneLeft } from '../domain/errors.ts'
import type { ServiceHandlers } from '../../http/handler.ts'

export const discovery = {
  discoverCountry: {
    check: (_look, { request: { query = {} } }, faults) => void readCountry(faults, 'country', query.country),
    read(_look, { request }) {
      const { country: code, ...rest } = request.query
      noneLeft(rest)
      const country = requireCountry(code)
      const { providers } = country
      return {
        status: 200,
        body: {
          rails: byRail((rail) => providers[rail].length > 0),
          merchant_id: '',
          has_networks: Object.keys(country.networks).length > 0,
          country: country.code,
          currency: country.currency,
          available_providers: byRail((rail) => [...providers[rail]]),
          provider_networks: networksByProvider(country),
        },
      }
    },
  },

  listTransactionProviders: {
    check: (_look, { request: { body = {} } }, faults) => void readCountry(faults, 'country', body.country),
    read(_look, { request }) {
      const { country: code, transaction_channel, request_type, ...rest } = request.body
      noneLeft(rest)
      const country = requireCountry(code)
      const asked = railNames.filter(
        (rail) =>
          (transaction_channel === undefined || rail === transaction_channel) &&
          (request_type !== 'withdrawal' || rails[rail].payouts_allowed),
      )
      return {
        status: 200,
        body: {
          country: country.code,
          currency: country.currency,
          providers: asked.flatMap((rail) => providersOn(country, rail)),
        },
      }
    },
  },
} satisfies Partial<ServiceHandlers>

const networksByProvider = ({ networks }: Country) =>
  Object.fromEntries(Object.entries(networks).map(([provider, list]) => [provider, [...list]]))

function providersOn(country: Country, rail: Rail) {
  const networks = networksOf(country, rail)
  return country.providers[rail].map((provider) => {
    const own = networks.filter((network) => country.networks[provider]!.includes(network))
    return { provider, provider_id: own[0]!.provider_id, transaction_channel: rail, networks: own }
  })
}
