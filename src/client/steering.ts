/** The groups of what a world's client can do. */
import { pagesOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { Callback, CallbackDetails, Clock, InboxMessage, RecordedRequest, WorldClient } from './types.ts'

export const scenariosOf = ({ ask }: Transport): WorldClient['scenarios'] => {
  const path = (name: string) => `/sandbox/scenarios/${encodeURIComponent(name)}`
  const turn = async (name: string, on: boolean) => void (await ask('PATCH', path(name), { body: { on } }))
  return {
    on: (name) => turn(name, true),
    off: (name) => turn(name, false),
    next: async (name, times = 1) => void (await ask('POST', `${path(name)}/queue`, { body: { times } })),
    reset: async () => void (await ask('DELETE', '/sandbox/scenarios')),
  }
}

export const clockOf = ({ ask }: Transport): WorldClient['clock'] => ({
  now: async () => new Date((await ask<Clock>('GET', '/sandbox/clock')).now),
  freeze: async () => void (await ask('POST', '/sandbox/clock/freeze')),
  resume: async () => void (await ask('POST', '/sandbox/clock/resume')),
  speed: async (factor) => void (await ask('POST', '/sandbox/clock/speed', { body: { factor } })),
  advance: (to) => ask('POST', '/sandbox/clock/advance', { body: furtherTo(to) }),
})

/** A text that is no time is a duration; the sandbox refuses what is neither. */
function furtherTo(to: string | Date) {
  if (to instanceof Date) return { to: to.toISOString() }
  return /^\d{4}-/.test(to) ? { to } : { by: to }
}

export const callbacksOf = (transport: Transport): WorldClient['callbacks'] => ({
  list: async (filter = {}) =>
    (await pagesOf<Callback>(transport, '/sandbox/callbacks', 'callbacks', { ...filter })).flat(),
  get: (id) => transport.ask('GET', `/sandbox/callbacks/${id}`),
  waitFor: async (filter = {}) =>
    (
      await transport.ask<{ callbacks: CallbackDetails[] }>('GET', '/sandbox/callbacks/wait', {
        query: { ...filter },
      })
    ).callbacks,
  resend: async (id) => void (await transport.ask('POST', `/sandbox/callbacks/${id}/resend`)),
})

export const inboxOf = (transport: Transport): WorldClient['inbox'] => {
  const path = (name = 'default') => `/sandbox/inbox/${encodeURIComponent(name)}`
  return {
    url: async (name) =>
      (await transport.ask<{ address: string }>('GET', path(name), { query: { limit: 1 } })).address,
    messages: async (name) =>
      (await pagesOf<InboxMessage>(transport, path(name), 'messages', {}, 100)).flat(),
  }
}

interface RequestList {
  readonly requests: readonly RecordedRequest[]
}

/** The record of requests. */
export const requestsOf = (transport: Transport): WorldClient['requests'] => ({
  list: async (filter = {}) =>
    (await pagesOf<RecordedRequest>(transport, '/sandbox/requests', 'requests', { ...filter })).flat(),
  get: (id) => transport.ask('GET', `/sandbox/requests/${encodeURIComponent(id)}`),
  find: async (body) =>
    (await transport.ask<RequestList>('POST', '/sandbox/requests/find', { body })).requests,
  count: async (body) =>
    (await transport.ask<{ count: number }>('POST', '/sandbox/requests/count', { body })).count,
  waitFor: async (filter = {}) =>
    (await transport.ask<RequestList>('GET', '/sandbox/requests/wait', { query: { ...filter } })).requests,
  clear: async () => void (await transport.ask('DELETE', '/sandbox/requests')),
  curl: (id) => transport.ask('GET', `/sandbox/requests/${encodeURIComponent(id)}/curl`),
  har: () => transport.ask('GET', '/sandbox/requests/har'),
})
