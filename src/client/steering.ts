/** The groups of what a world's client can do. */
import { requireKnown } from './filters.ts'
import { pagesOf } from './pages.ts'
import type { Ask, Transport } from './transport.ts'
import type {
  Callback,
  CallbackDetails,
  Clock,
  Conditions,
  InboxMessage,
  InboxSummary,
  RecordedRequest,
  RequestCount,
  Scenario,
  ScenarioFile,
  ScenarioSample,
  ScenarioState,
  WorldClient,
} from './types.ts'

export const scenariosOf = ({ ask }: Transport): WorldClient['scenarios'] => {
  const path = (name: string) => `/sandbox/scenarios/${encodeURIComponent(name)}`
  const turn = async (name: string, on: boolean) => void (await ask('PATCH', path(name), { body: { on } }))
  return {
    on: (name) => turn(name, true),
    off: (name) => turn(name, false),
    next: async (name, times = 1) => void (await ask('POST', `${path(name)}/queue`, { body: { times } })),
    list: async () => (await ask<{ scenarios: Scenario[] }>('GET', '/sandbox/scenarios')).scenarios,
    source: (name) => ask('GET', path(name), { headers: { accept: 'application/yaml' } }),
    samples: async (name, reference) =>
      (await ask<{ samples: ScenarioSample[] }>('GET', `${path(name)}/samples`, { query: { reference } }))
        .samples,
    state: (name) => ask<ScenarioState>('GET', `${path(name)}/state`),
    setStep: (name, step) => ask<ScenarioState>('PUT', `${path(name)}/state`, { body: { step } }),
    put: async (name, file) => (await ask<{ scenario: Scenario }>('PUT', path(name), sent(file))).scenario,
    check: (file, name) => ask('POST', '/sandbox/scenarios/check', { ...sent(file), query: { name } }),
    delete: async (name) => void (await ask('DELETE', path(name))),
    reset: async () => void (await ask('DELETE', '/sandbox/scenarios')),
  }
}

const sent = (file: ScenarioFile | string): Ask =>
  typeof file === 'string' ? { text: file, headers: { 'content-type': 'application/yaml' } } : { body: file }

export const clockOf = ({ ask }: Transport): WorldClient['clock'] => ({
  now: async () => new Date((await ask<Clock>('GET', '/sandbox/clock')).now),
  show: () => ask('GET', '/sandbox/clock'),
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
  async list(filter = {}) {
    requireKnown('callbacks.list', filter, ['reference', 'state'])
    return (await pagesOf<Callback>(transport, '/sandbox/callbacks', 'callbacks', { ...filter })).flat()
  },
  get: (id) => transport.ask('GET', `/sandbox/callbacks/${id}`),
  async waitFor(filter = {}) {
    requireKnown('callbacks.waitFor', filter, ['reference', 'state', 'count', 'timeout'])
    const query = { ...filter }
    const path = '/sandbox/callbacks/wait'
    return (await transport.ask<{ callbacks: CallbackDetails[] }>('GET', path, { query })).callbacks
  },
  resend: async (id) => void (await transport.ask('POST', `/sandbox/callbacks/${id}/resend`)),
  resendAll: (body = {}) => transport.ask('POST', '/sandbox/callbacks/resend', { body }),
  fire: (body) => transport.ask('POST', '/sandbox/callbacks/fire', { body }),
})

export const inboxOf = (transport: Transport): WorldClient['inbox'] => {
  const path = (name = 'default') => `/sandbox/inbox/${encodeURIComponent(name)}`
  return {
    list: async () => (await pagesOf<InboxSummary>(transport, '/sandbox/inboxes', 'inboxes')).flat(),
    url: async (name) =>
      (await transport.ask<{ address: string }>('GET', path(name), { query: { limit: 1 } })).address,
    messages: async (name) =>
      (await pagesOf<InboxMessage>(transport, path(name), 'messages', {}, 100)).flat(),
    answer: async (answers, name) => void (await transport.ask('PUT', path(name), { body: { answers } })),
    clear: async (name) => void (await transport.ask('DELETE', path(name))),
  }
}

interface RequestList {
  readonly requests: readonly RecordedRequest[]
}

const FILTERS = ['operation', 'method', 'path', 'status', 'reference']

/** The record of requests. */
export const requestsOf = (transport: Transport): WorldClient['requests'] => {
  const compare = (body: Conditions) =>
    transport.ask<RequestCount>('POST', '/sandbox/requests/count', { body })
  const one = (id: string) => `/sandbox/requests/${encodeURIComponent(id)}`
  return {
    async list(filter = {}) {
      requireKnown('requests.list', filter, [...FILTERS, 'search'])
      return (
        await pagesOf<RecordedRequest>(transport, '/sandbox/requests', 'requests', { ...filter })
      ).flat()
    },
    get: (id) => transport.ask('GET', one(id)),
    find: async (body) =>
      (await transport.ask<RequestList>('POST', '/sandbox/requests/find', { body })).requests,
    count: async (body) => (await compare(body)).count,
    compare,
    async waitFor(filter = {}) {
      requireKnown('requests.waitFor', filter, [...FILTERS, 'count', 'timeout'])
      const query = { ...filter }
      return (await transport.ask<RequestList>('GET', '/sandbox/requests/wait', { query })).requests
    },
    clear: async () => void (await transport.ask('DELETE', '/sandbox/requests')),
    curl: (id) => transport.ask('GET', `${one(id)}/curl`),
    explain: (id) => transport.ask('GET', `${one(id)}/explain`),
    har: () => transport.ask('GET', '/sandbox/requests/har'),
  }
}
