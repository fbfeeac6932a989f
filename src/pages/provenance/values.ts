/** Where the values come from that are data of the sandbox's own: results, networks, banks. */
import { countries } from '../../service/domain/countries/countries.ts'
import type { Network } from '../../service/domain/countries/country.ts'
import { banks, mobileNetworks } from '../../service/domain/countries/ke.ts'
import { rules } from '../../service/domain/realism/rules.ts'
import { outcomes, reasons, type ResultFacts } from '../../service/vocabulary/reasons.ts'
import type { ProvenanceEntry, Provenance } from './entries.ts'

/** Results that a transaction can have, networks that discovery gives, and codes of the legacy endpoints, each under its head. */
export const valuesOf = (): readonly ProvenanceEntry[] => [
  head('Results', 'Codes and texts of results, by the name of their reason.'),
  ...Object.entries<ResultFacts>({ ...outcomes, ...reasons }).map(([name, facts]) => result(name, facts)),
  head('Networks', 'What discovery gives, by country and provider.'),
  ...countries.flatMap(({ code, networks, observed }) =>
    Object.entries(networks).flatMap(([provider, list]) =>
      list.map((each) => network(`${code}.${provider}`, each, observed.has(each))),
    ),
  ),
  head('Realism', 'What operators and banks refuse where `realism` is `realistic` (docs/realism.md).'),
  ...rules.map(({ name, rule, holds_for, provenance, source }) =>
    entry('rule', `Realism.${name}`, provenance, `${rule} Holds for ${holds_for}. Source: ${source}`),
  ),
  head('NetworkCodes', 'What `network_code` of the legacy endpoints can be.'),
  ...mobileNetworks.map(({ code, name }) => entry('code', `NetworkCodes.${code}`, 'observed', name)),
  ...banks.map(({ code, name, provider }) => {
    const named = observedProviders.has(provider) ? '' : `; that results call it ${provider} is assumed`
    return entry('code', `NetworkCodes.${code}`, 'observed', `${name}, of withdrawals to a bank${named}`)
  }),
]

const observedProviders = new Set(countries.find(({ code }) => code === 'KE')!.providers.bank)

function result(name: string, { code, text, source }: ResultFacts): ProvenanceEntry {
  const alike = source.code === source.text
  const apart = alike ? '' : `; the code is ${source.code}, the text ${source.text}`
  return entry('result', `Results.${name}`, alike ? source.code : 'assumed', `${code} "${text}"${apart}`)
}

function network(place: string, { network_id, network_name }: Network, observed: boolean): ProvenanceEntry {
  const name = `Networks.${place}.${network_id}`
  return observed
    ? entry(
        'network',
        name,
        'observed',
        `${network_name}: ids, code and limits as observed, but its provider_id`,
      )
    : entry('network', name, 'assumed', `${network_name}: its ids, code and limits are made up`)
}

/** What is listed below it says itself where it comes from. */
const head = (name: string, note: string) => entry('schema', name, 'assumed', note)

const entry = (
  kind: ProvenanceEntry['kind'],
  name: string,
  provenance: Provenance,
  note: string,
): ProvenanceEntry => ({ kind, operation: '', name, provenance, note })
