/** The record of requests, and which of them are meant. */
import { listBy } from './lists.ts'
import { type FilterOf, requireFilters } from './operations.ts'
import type { Transport } from './transport.ts'
import type { Explanation, RecordedRequest, RequestCount } from '../generated/control/types.ts'
import type { Operations } from '../generated/service/operations.ts'

/**
 * Which requests are meant.
 * @example
 * ```ts
 * import type { RequestFilter } from 'payments-sandbox'
 *
 * const taken: RequestFilter = { operation: 'createCollection', status: 201 }
 * const requests = await world.requests.list(taken)
 * requests.length // => 1
 * ```
 */
export interface RequestFilter extends Omit<FilterOf<'listRequests'>, 'operation' | 'search'> {
  /** Such as `createCollection`. */
  readonly operation?: OperationName | undefined
}

/**
 * The words of `when` in a scenario file.
 * @example
 * ```ts
 * import type { Conditions } from 'payments-sandbox'
 *
 * const large: Conditions = { operation: 'createCollection', amount: { gte: 1000 } }
 * await world.requests.count(large) // => 1
 * ```
 */
export type Conditions = { readonly operation?: PredicateOf<OperationName> } & {
  readonly [Fact in KnownFact | `${'body' | 'query' | 'headers' | 'answer'}.${string}`]?: Predicate
}

/** What a request says, by name. */
type KnownFact =
  | 'method'
  | 'path'
  | 'status'
  | 'id'
  | 'username'
  | 'direction'
  | 'rail'
  | 'party'
  | 'amount'
  | 'currency'
  | 'country'
  | 'provider'
  | 'account_id'
  | 'channel_id'
  | 'reference'

/** Those of the service complete in an editor; the record has others, too. */
type OperationName = keyof Operations | (string & {})
type Value = string | number | boolean
type Tests = {
  readonly startsWith?: string
  readonly endsWith?: string
  readonly matches?: string
  readonly lt?: number
  readonly lte?: number
  readonly gt?: number
  readonly gte?: number
  readonly exists?: boolean
  readonly magic?: string
}
/** A value, a list of which one is meant, or tests that all hold. */
type PredicateOf<Meant extends Value> =
  | Meant
  | readonly Meant[]
  | (Tests & { readonly not?: Meant | readonly Meant[] | Tests })
type Predicate = PredicateOf<Value>

/**
 * For how many, and for how long.
 * @example
 * ```ts
 * import type { Waiting } from 'payments-sandbox'
 *
 * const waiting: Waiting = { count: 1, timeout: '10s' }
 * const requests = await world.requests.waitFor({ reference: 'order-1', ...waiting })
 * requests.length // => 1
 * ```
 */
export type Waiting = Pick<FilterOf<'waitForRequests'>, 'count' | 'timeout'>

/**
 * The record of requests.
 * @example
 * ```ts
 * import type { RequestsClient } from 'payments-sandbox'
 *
 * const why = async (requests: RequestsClient) => {
 *   const [request] = await requests.find({ operation: 'createCollection', amount: 1000 })
 *   return request?.status
 * }
 * await why(world.requests) // => 201
 * ```
 */
export interface RequestsClient {
  /** Newest first. @param filter `search` is a text anywhere in the request or its answer */
  list(filter?: RequestFilter & { readonly search?: string | undefined }): Promise<readonly RecordedRequest[]>
  get(id: string): Promise<RecordedRequest>
  find(conditions: Conditions): Promise<readonly RecordedRequest[]>
  count(conditions: Conditions): Promise<number>
  /** How many, and of none how the nearest differs. */
  compare(conditions: Conditions): Promise<RequestCount>
  /** The requests, as soon as they are there. @throws SandboxError 504 that says what came instead */
  waitFor(filter?: RequestFilter & Waiting): Promise<readonly RecordedRequest[]>
  clear(): Promise<void>
  curl(id: string): Promise<string>
  /** Why it was decided as it was. */
  explain(id: string): Promise<Explanation>
  har(): Promise<unknown>
}

/** `world.requests`: the record of requests. */
export const requestsOf = (transport: Transport): RequestsClient => {
  const { call } = transport
  const compare = (body: Conditions) => call('countRequests', { body })
  return {
    list: (filter) => listBy(transport, 'requests.list', 'listRequests', 'requests', filter),
    get: (id) => call('getRequest', { path: { id } }),
    find: async (body) => (await call('findRequests', { body })).requests,
    count: async (body) => (await compare(body)).count,
    compare,
    async waitFor(filter = {}) {
      requireFilters('requests.waitFor', 'waitForRequests', filter)
      return (await call('waitForRequests', { query: filter })).requests
    },
    clear: async () => void (await call('clearRequests')),
    curl: (id) => call('getRequestAsCurl', { path: { id } }),
    explain: (id) => call('explainRequest', { path: { id } }),
    har: () => call('exportHar'),
  }
}
