import { pagesOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { RecordedRequest, WorldClient } from './types.ts'

interface Listed {
  readonly requests: readonly RecordedRequest[]
}

/** The record of requests. */
export const requestsOf = (transport: Transport): WorldClient['requests'] => ({
  list: async (filter = {}) =>
    (await pagesOf<RecordedRequest>(transport, '/sandbox/requests', 'requests', { ...filter })).flat(),
  get: (id) => transport.ask('GET', `/sandbox/requests/${encodeURIComponent(id)}`),
  find: async (body) => (await transport.ask<Listed>('POST', '/sandbox/requests/find', { body })).requests,
  count: async (body) =>
    (await transport.ask<{ count: number }>('POST', '/sandbox/requests/count', { body })).count,
  waitFor: async (filter = {}) =>
    (await transport.ask<Listed>('GET', '/sandbox/requests/wait', { query: { ...filter } })).requests,
  clear: async () => void (await transport.ask('DELETE', '/sandbox/requests')),
  curl: (id) => transport.ask('GET', `/sandbox/requests/${encodeURIComponent(id)}/curl`),
  har: () => transport.ask('GET', '/sandbox/requests/har'),
})
