import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { Conditions, WorldClient } from './types.ts'

const FILTERS = ['operation', 'method', 'path', 'status', 'reference']

/** `world.requests`: the record of requests. */
export const requestsOf = (transport: Transport): WorldClient['requests'] => {
  const { call } = transport
  const compare = (body: Conditions) => call('countRequests', { body })
  return {
    async list(filter = {}) {
      requireKnown('requests.list', filter, [...FILTERS, 'search'])
      return listOf(transport, 'listRequests', 'requests', { query: filter })
    },
    get: (id) => call('getRequest', { path: { id } }),
    find: async (body) => (await call('findRequests', { body })).requests,
    count: async (body) => (await compare(body)).count,
    compare,
    async waitFor(filter = {}) {
      requireKnown('requests.waitFor', filter, [...FILTERS, 'count', 'timeout'])
      return (await call('waitForRequests', { query: filter })).requests
    },
    clear: async () => void (await call('clearRequests')),
    curl: (id) => call('getRequestAsCurl', { path: { id } }),
    explain: (id) => call('explainRequest', { path: { id } }),
    har: () => call('exportHar'),
  }
}
