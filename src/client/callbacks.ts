/** Callbacks, how they are signed, and inboxes that take them. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { WorldClient } from './types.ts'

/** `world.callbacks`. */
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

/** `world.inbox`. */
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

/** `world.signatures`. */
export const signaturesOf = ({ call }: Transport): WorldClient['signatures'] => ({
  secret: async () => (await call('getSigningSecret')).secret,
  show: () => call('getSigningSecret'),
  rotate: (body = {}) => call('rotateSigningSecret', { body }),
  keys: () => call('getSigningKeys'),
  check: (body) => call('checkSignature', { body }),
})
