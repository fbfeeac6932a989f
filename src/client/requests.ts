import { listBy } from './lists.ts'
import { type FilterOf, requireFilters } from './operations.ts'
import type { Transport } from './transport.ts'
import type { Explanation, RecordedRequest, RequestCount } from '../generated/control/types.ts'
import type { ScenarioPredicate, ScenarioWhen } from '../generated/scenario-file.ts'
import type { Operations } from '../generated/service/operations.ts'

/**
 * Filter of `world.requests.list` and `world.requests.waitFor`.
 * @example
 * ```ts
 * const created: RequestFilter = { operation: 'createCollection', status: 201 }
 * const requests = await world.requests.list(created)
 * requests.length // => 1
 * ```
 */
export interface RequestFilter extends Omit<FilterOf<'listRequests'>, 'operation' | 'search'> {
  /** Such as `createCollection`. */
  readonly operation?: OperationName | undefined
}

/**
 * The conditions of `when` in a scenario file, plus those on the response.
 * @example
 * ```ts
 * const large: Conditions = { operation: 'createCollection', amount: { gte: 1000 } }
 * await world.requests.count(large) // => 1
 * ```
 */
export type Conditions = {
  readonly operation?: OperationName | readonly OperationName[] | Exclude<ScenarioPredicate, string>
} & {
  readonly [
    Fact in
      | Exclude<keyof ScenarioWhen, 'operation'>
      | 'method'
      | 'path'
      | 'status'
      | 'id'
      | 'username'
      | `response.${string}`
  ]?: ScenarioPredicate
}

/** Editors complete the operations of the service; the log also contains others. */
type OperationName = keyof Operations | (string & {})

/**
 * How many requests `world.requests.waitFor` waits for, and for how long.
 * @example
 * ```ts
 * const waiting: Waiting = { count: 1, timeout: '10s' }
 * const requests = await world.requests.waitFor({ reference: 'order-1', ...waiting })
 * requests.length // => 1
 * ```
 */
export type Waiting = Pick<FilterOf<'waitForRequests'>, 'count' | 'timeout'>

/**
 * The request log of a world: `world.requests`.
 * @example
 * ```ts
 * const [request] = await world.requests.find({ operation: 'createCollection', amount: 1000 })
 * request?.status // => 201
 * ```
 */
export interface RequestsClient {
  /** Lists requests, newest first. @param filter - `search` matches text anywhere in a request or its response. */
  list(filter?: RequestFilter & { readonly search?: string | undefined }): Promise<readonly RecordedRequest[]>
  get(id: string): Promise<RecordedRequest>
  find(conditions: Conditions): Promise<readonly RecordedRequest[]>
  count(conditions: Conditions): Promise<number>
  /** Returns the number of matching requests; if there is none, also how the closest request differs. */
  compare(conditions: Conditions): Promise<RequestCount>
  /** Resolves once enough requests match. @throws {SandboxError} 504 on timeout, with the requests received so far. */
  waitFor(filter?: RequestFilter & Waiting): Promise<readonly RecordedRequest[]>
  clear(): Promise<void>
  curl(id: string): Promise<string>
  /** Explains which rules and scenarios decided the response. */
  explain(id: string): Promise<Explanation>
  har(): Promise<unknown>
}

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
