import type { Transport } from './transport.ts'
import type { RecordedRequest, WorldClient } from './types.ts'

interface Listed {
  readonly requests: readonly RecordedRequest[]
}

/** The record of requests. */
export const requestsOf = ({ ask }: Transport): WorldClient['requests'] => ({
  list: async (filter = {}) =>
    (await ask<Listed>('GET', '/sandbox/requests', { query: { ...filter, limit: 1_000 } })).requests,
  get: (id) => ask('GET', `/sandbox/requests/${encodeURIComponent(id)}`),
  find: async (body) => (await ask<Listed>('POST', '/sandbox/requests/find', { body })).requests,
  count: async (body) => (await ask<{ count: number }>('POST', '/sandbox/requests/count', { body })).count,
  waitFor: async (filter = {}) =>
    (await ask<Listed>('GET', '/sandbox/requests/wait', { query: { ...filter } })).requests,
  clear: async () => void (await ask('DELETE', '/sandbox/requests')),
  curl: (id) => ask('GET', `/sandbox/requests/${encodeURIComponent(id)}/curl`),
  har: () => ask('GET', '/sandbox/requests/har'),
})
