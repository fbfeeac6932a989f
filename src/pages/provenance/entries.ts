import { type Operation, operationsOf, parametersOf, type Part, resolve } from '../viewer/description.ts'
import { countries } from '../../service/domain/countries/countries.ts'
import type { Network, NetworkFacts } from '../../service/domain/countries/country.ts'
import { rules } from '../../service/domain/realism/rules.ts'
import { banks, mobileNetworks } from '../../service/domain/countries/ke.ts'
import { receiptForms } from '../../service/domain/references.ts'
import type { Observed } from '../../service/vocabulary/observed.ts'
import { outcomes, reasons, type ResultFacts } from '../../service/vocabulary/rails.ts'

export const words = ['documented', 'observed', 'assumed'] as const
type Provenance = (typeof words)[number]

export interface ProvenanceEntry {
  readonly kind:
    | 'operation'
    | 'parameter'
    | 'status'
    | 'header'
    | 'callback'
    | 'schema'
    | 'field'
    | 'result'
    | 'network'
    | 'code'
    | 'rule'
    | 'observation'
  /** The operation; empty for schemas and fields, which operations share. */
  readonly operation: string
  /** For example `POST /api/v2/payments`, `page`, `201` or `CreateCollectionRequest.amount`. */
  readonly name: string
  readonly provenance: Provenance
  readonly note: string
}

/**
 * Returns the provenance of every operation, parameter, status, header, callback, schema and field. Parts
 * without a mark inherit it, so that nothing assumed appears documented.
 */
export function provenanceOf(description: Part): ProvenanceEntry[] {
  return [
    ...operationsOf(description.paths).flatMap((found) => provenanceOfOperation(description, found)),
    ...Object.entries<Part>(description.components?.schemas ?? {}).flatMap(([name, schema]) => {
      const mark = markOf(schema, plain)
      return [entry('schema', name, mark.provenance, mark.note), ...fieldsOf(name, schema, mark)]
    }),
  ]
}

type Mark = Pick<ProvenanceEntry, 'provenance' | 'note'>
const plain: Mark = { provenance: 'documented', note: '' }

function markOf(part: Part, otherwise: Mark): Mark {
  const { 'x-provenance': provenance, 'x-provenance-note': note } = part
  if (provenance) return { provenance, note: note ?? '' }
  return { provenance: otherwise.provenance, note: note ?? otherwise.note }
}

/** Returns the provenance of one operation without the schemas it references. */
export function provenanceOfOperation(description: Part, found: Operation): ProvenanceEntry[] {
  const { path, method, operation } = found
  const id: string = operation.operationId
  const mark = markOf(operation, plain)
  const callbacks = Object.entries<Part>(operation.callbacks ?? {})
  const below = (kind: ProvenanceEntry['kind'], name: string, part: Part, otherwise: Mark) => ({
    kind,
    operation: id,
    name,
    ...markOf(part, otherwise),
  })
  return [
    { kind: 'operation', operation: id, name: `${method.toUpperCase()} ${path}`, ...mark },
    ...parametersOf(description, found).map((each) => below('parameter', each.name, each, mark)),
    ...Object.entries<Part>(operation.responses).flatMap(([status, response]) => {
      const answer = { ...resolve(description, response), ...response }
      const own = below('status', status, answer, mark)
      const headers = Object.entries<Part>(answer.headers ?? {})
      return [
        own,
        ...headers.map(([name, header]) =>
          below('header', `${status} ${name}`, resolve(description, header), own),
        ),
      ]
    }),
    ...callbacks.flatMap(([name, callback]) =>
      operationsOf(resolve(description, callback)).map((each) =>
        below('callback', name, each.operation, mark),
      ),
    ),
  ]
}

function fieldsOf(owner: string, schema: Part, mark: Mark): ProvenanceEntry[] {
  return Object.entries<Part>(schema.properties ?? {}).flatMap(([key, field]) => {
    const own = markOf(field, mark)
    const name = `${owner}.${key}`
    return [
      { kind: 'field' as const, operation: '', name, ...own },
      ...fieldsOf(name, field, own),
      ...(field.items ? fieldsOf(`${name}[]`, field.items, own) : []),
    ]
  })
}

/** An entry with its anchor. */
export interface Placed extends ProvenanceEntry {
  readonly id: string
  /** The note, unless it repeats the group's. */
  readonly note: string
}

/** An operation or schema with its parts, and the number of entries per origin, including the head. */
export interface Group {
  readonly head: Placed
  readonly rows: Placed[]
  readonly counts: Partial<Record<Provenance, number>>
}

/** Groups entries by operation or schema. */
export function groupsOf(entries: readonly ProvenanceEntry[]): readonly Group[] {
  const groups: Group[] = []
  for (const entry of entries) {
    if (isHead(entry)) groups.push({ head: { ...entry, id: anchorOf(entry) }, rows: [], counts: {} })
    const group = groups.at(-1)!
    group.counts[entry.provenance] = (group.counts[entry.provenance] ?? 0) + 1
    if (isHead(entry)) continue
    const note = entry.note === group.head.note ? '' : entry.note
    group.rows.push({ ...entry, note, id: anchorOf(entry) })
  }
  return groups
}

const isHead = ({ kind }: ProvenanceEntry) => kind === 'operation' || kind === 'schema'

/** For example `createCollection.status.201` or `CreateCollectionRequest.amount`. */
function anchorOf({ kind, operation, name }: ProvenanceEntry): string {
  if (kind === 'operation') return operation
  const plain = name.replaceAll(' ', '.')
  return operation === '' ? plain : `${operation}.${kind}.${plain}`
}

/** Entries for result reasons, networks and codes of the legacy endpoints. */
export const valuesOf = (): readonly ProvenanceEntry[] => [
  head('Results', 'Codes and texts of results, by the name of their reason.'),
  ...Object.entries<ResultFacts>({ ...outcomes, ...reasons }).map(([name, facts]) => result(name, facts)),
  head('Networks', 'Networks in country discovery, by country and provider.'),
  ...countries.flatMap(({ code, networks, observed }) =>
    Object.entries(networks).flatMap(([provider, list]) =>
      list.map((each) => network(`${code}.${provider}`, each, observed.has(each))),
    ),
  ),
  head('NetworkFacts', 'Facts of networks that receipts, results and generated histories read.'),
  ...countries.flatMap(({ code, market: { networks, shares } }) =>
    Object.entries(networks).flatMap(([rail, list]) =>
      list.flatMap((facts) => networkFacts(`${code}.${rail}`, facts, rail === 'momo' ? shares : 'assumed')),
    ),
  ),
  head('Realism', 'What operators and banks reject if `realism` is `realistic` (docs/simulation.md).'),
  ...rules.map(({ name, rule, holds_for, provenance, source }) =>
    entry('rule', `Realism.${name}`, provenance, `${rule} Holds for ${holds_for}. Source: ${source}`),
  ),
  head('NetworkCodes', 'Values of `network_code` in the legacy endpoints.'),
  ...mobileNetworks.map(({ code, name }) => entry('code', `NetworkCodes.${code}`, 'observed', name)),
  ...banks.map(({ code, name, provider }) => {
    const named = observedProviders.has(provider) ? '' : `; its name ${provider} in results is assumed`
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
  const about = observed
    ? 'ids, code and limits are observed, except the provider_id'
    : 'its ids, code and limits are made up'
  return entry('network', name, observed ? 'observed' : 'assumed', `${network_name}: ${about}`)
}

function networkFacts(place: string, facts: NetworkFacts, shares: string): readonly ProvenanceEntry[] {
  const { name, share, receipt, receipt_assumed, words, whole, outages, fails = 1 } = facts
  const { clears, maintenance, fee = 1 } = facts
  const fact = (of: string, provenance: Provenance, note: string) =>
    entry('network', `NetworkFacts.${place}.${name}.${of}`, provenance, note)
  const assumed = (of: string, note: string) => fact(of, 'assumed', note)
  const source = receipt_assumed ? 'assumed' : receiptForms[receipt].source
  return [
    shares.startsWith('assumed')
      ? assumed('share', `${share}, ${shares}`)
      : fact('share', 'observed', `${share}. Source: ${shares}`),
    fact('receipt', source, `The form ${receipt}.`),
    words && assumed('texts', `Those of ${words}'s API, which the service may replace.`),
    whole && fact('decimals', 'observed', `None in ${whole === 'both' ? 'both directions' : whole}.`),
    clears &&
      assumed('clearing', `Batches at ${clears.batches.join(', ')} h, cut-off ${clears.cut_off} h before.`),
    maintenance &&
      assumed(
        'maintenance',
        `Weekday ${maintenance.weekday + 1}, ${maintenance.from} to ${maintenance.to} h.`,
      ),
    assumed('fee', `${fee} times the usual cost, if realism is field.`),
    assumed('outages', `${outages} in thirty days.`),
    assumed('failures', `${fails} times the usual rate of the rail.`),
  ].filter((each) => !!each)
}

/** Entries for the overlay of the process, with the numbers of observations. */
export function observationsOf(observed: Observed | undefined): readonly ProvenanceEntry[] {
  if (!observed) return []
  const { evidence, operations = {}, callbacks = {}, references } = observed
  const from = `${evidence.file}, ${observed.observed}, ${evidence.entries} entries`
  const row = (name: string, seen: number, what: object) =>
    entry('observation', `Observed.${name}`, 'observed', `Seen ${seen} times: ${JSON.stringify(what)}`)
  const rows = Object.entries(operations).flatMap(([name, each]) => {
    const { responses = {}, accept = [], reject = [], settle_after, callback } = each
    return [
      ...Object.entries(responses).flatMap(([status, list]) =>
        list.map(({ seen, ...what }) => row(`${name}.${status}`, seen, what)),
      ),
      ...accept.map(({ seen, ...what }) => row(`${name}.accept`, seen, what)),
      ...reject.map(({ seen, ...what }) => row(`${name}.reject`, seen, what)),
      settle_after && row(`${name}.settle_after`, settle_after.seen, settle_after),
      callback && row(`${name}.callback`, callback.seen, callback),
    ]
  })
  const { retries, headers } = callbacks
  return [
    {
      ...head('Observed', `How the service was observed to differ: ${from}.`),
      provenance: 'observed' as const,
    },
    ...rows,
    retries && row('callbacks.retries', retries.seen, retries),
    headers && row('callbacks.headers', headers.seen, headers),
    references && row('references', references.seen, references),
  ].filter((each) => !!each)
}

/** The entries below have their own provenance. */
const head = (name: string, note: string) => entry('schema', name, 'assumed', note)

const entry = (
  kind: ProvenanceEntry['kind'],
  name: string,
  provenance: Provenance,
  note: string,
): ProvenanceEntry => ({ kind, operation: '', name, provenance, note })
