/** The groups of what a world's client can do. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Ask, Transport } from './transport.ts'
import type { Conditions, ScenarioFile, WorldClient } from './types.ts'

export const scenariosOf = ({ call, callAs }: Transport): WorldClient['scenarios'] => {
  const turn = async (name: string, on: boolean) =>
    void (await call('switchScenario', { path: { name }, body: { on } }))
  return {
    on: (name) => turn(name, true),
    off: (name) => turn(name, false),
    next: async (name, times = 1) => void (await call('queueScenario', { path: { name }, body: { times } })),
    list: async () => (await call('listScenarios')).scenarios,
    get: async (name) => (await call('getScenario', { path: { name } })).scenario,
    // Its answer is JSON unless another form is asked for.
    source: (name) =>
      callAs('getScenario', {
        path: { name },
        headers: { accept: 'application/yaml' },
      }) as Promise<unknown> as Promise<string>,
    samples: async (name, reference) =>
      (await call('listScenarioSamples', { path: { name }, query: { reference } })).samples,
    state: (name) => call('getScenarioState', { path: { name } }),
    setStep: (name, step) => call('setScenarioState', { path: { name }, body: { step } }),
    put: async (name, file) => (await callAs('putScenario', { path: { name }, ...sent(file) })).scenario,
    check: (file, name) => callAs('checkScenario', { ...sent(file), query: { name } }),
    delete: async (name) => void (await call('deleteScenario', { path: { name } })),
    reset: async () => void (await call('resetScenarios')),
    magicValues: async () => (await call('listMagicValues')).magic_values,
  }
}

const sent = (file: ScenarioFile | string): Ask =>
  typeof file === 'string' ? { text: file, headers: { 'content-type': 'application/yaml' } } : { body: file }

export const clockOf = ({ call }: Transport): WorldClient['clock'] => ({
  now: async () => new Date((await call('getClock')).now),
  show: () => call('getClock'),
  freeze: async () => void (await call('freezeClock')),
  resume: async () => void (await call('resumeClock')),
  speed: async (factor) => void (await call('setClockSpeed', { body: { factor } })),
  advance: (to) => call('advanceClock', { body: furtherTo(to) }),
})

/** A text that is no time is a duration; the sandbox refuses what is neither. */
function furtherTo(to: string | Date) {
  if (to instanceof Date) return { to: to.toISOString() }
  return /^\d{4}-/.test(to) ? { to } : { by: to }
}

export const callbacksOf = (transport: Transport): WorldClient['callbacks'] => {
  const { call } = transport
  return {
    async list(filter = {}) {
      requireKnown('callbacks.list', filter, ['reference', 'state', 'url', 'since'])
      return listOf(transport, 'listCallbacks', 'callbacks', { query: filter })
    },
    get: (id) => call('getCallback', { path: { id } }),
    async waitFor(filter = {}) {
      requireKnown('callbacks.waitFor', filter, ['reference', 'state', 'count', 'timeout'])
      return (await call('waitForCallbacks', { query: filter })).callbacks
    },
    resend: async (id) => void (await call('resendCallback', { path: { id } })),
    resendAll: (body = {}) => call('resendCallbacks', { body }),
    fire: (body) => call('fireCallback', { body }),
  }
}

export const inboxOf = (transport: Transport): WorldClient['inbox'] => {
  const { call } = transport
  const url = async (name = 'default') =>
    (await call('getInbox', { path: { name }, query: { limit: 1 } })).address
  return {
    list: () => listOf(transport, 'listInboxes', 'inboxes'),
    url,
    messages: (name = 'default') => listOf(transport, 'getInbox', 'messages', { path: { name } }, 100),
    answer: async (answers, name = 'default') =>
      void (await call('scriptInbox', { path: { name }, body: { answers } })),
    clear: async (name = 'default') => void (await call('clearInbox', { path: { name } })),
    async deliver(body, headers = {}, name) {
      const sent = { 'content-type': 'application/json', ...headers }
      return transport.fetch(await url(name), { method: 'POST', headers: sent, body })
    },
  }
}

const FILTERS = ['operation', 'method', 'path', 'status', 'reference']

/** The record of requests. */
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
