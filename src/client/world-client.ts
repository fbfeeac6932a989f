import { readEvents } from './events.ts'
import { pagesOf } from './pages.ts'
import { callbacksOf, clockOf, inboxOf, requestsOf, scenariosOf } from './steering.ts'
import { createTransport, type Fetch, type Transport } from './transport.ts'
import type { ApiKey, CreatedWorld, Ledger, Mail, Snapshot, Steered, WorldClient } from './types.ts'

const idOf = (snapshot: Snapshot | number) => (typeof snapshot === 'number' ? snapshot : snapshot.id)

/** The client of one world over its transport. */
export function createWorldClient(transport: Transport, send: Fetch): WorldClient {
  const { ask, credentials, url } = transport
  const ledger = () => ask<Ledger>('GET', '/sandbox/ledger', { query: { limit: 1 } })
  const scenarios = scenariosOf(transport)
  return {
    url,
    ...credentials,
    authorization: transport.authorization,
    fetch: transport.fetch,

    show: () => ask('GET', '/sandbox/worlds/current'),
    configure: (body) => ask('PATCH', '/sandbox/worlds/current', { body }),
    reset: async () => void (await ask('POST', '/sandbox/reset')),
    delete: async () => void (await ask('DELETE', '/sandbox/worlds/current')),

    scenario: scenarios.on,
    scenarios,
    clock: clockOf(transport),
    settle: () => ask<Steered>('POST', '/sandbox/settle'),
    callbacks: callbacksOf(transport),
    inbox: inboxOf(transport),
    requests: requestsOf(transport),

    snapshots: {
      take: (name) => ask('POST', '/sandbox/snapshots', { body: name === undefined ? {} : { name } }),
      list: async () => (await ask<{ snapshots: Snapshot[] }>('GET', '/sandbox/snapshots')).snapshots,
      restore: async (snapshot) => void (await ask('POST', `/sandbox/snapshots/${idOf(snapshot)}/restore`)),
      delete: async (snapshot) => void (await ask('DELETE', `/sandbox/snapshots/${idOf(snapshot)}`)),
    },
    export: () => ask('GET', '/sandbox/export'),
    import: async (body) => void (await ask('POST', '/sandbox/import', { body })),

    apiKeys: {
      list: async () =>
        (await pagesOf<ApiKey>(transport, '/sandbox/api-keys', 'api_keys')).toReversed().flat(),
      create: (body = {}) => ask('POST', '/sandbox/api-keys', { body }),
      revoke: async (username) =>
        void (await ask('DELETE', `/sandbox/api-keys/${encodeURIComponent(username)}`)),
    },
    outbox: {
      list: async (to) => (await pagesOf<Mail>(transport, '/sandbox/outbox', 'mails', { to })).flat(),
      clear: async () => void (await ask('DELETE', '/sandbox/outbox')),
    },
    ledger: () => ask('GET', '/sandbox/ledger'),
    balance: async (account) => balanceIn(await ledger(), account),
    events: (options = {}) => readEvents(transport, options),
    async world(body = {}) {
      const made = await ask<CreatedWorld>('POST', '/sandbox/worlds', { body })
      return createWorldClient(createTransport(url, made.credentials, send), send)
    },
  }
}

function balanceIn({ balances }: Ledger, account: string): number {
  const found = balances.find((each) => each.account === account)
  if (found) return found.balance
  const known = balances.map((each) => each.account).join(', ')
  throw new Error(`the ledger has no account ${account}; it has ${known}`)
}
