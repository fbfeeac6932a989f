import { checkoutOf, checkoutsOf } from './checkouts.ts'
import { readEvents } from './events.ts'
import { pagesOf } from './pages.ts'
import { phoneOf, promptsOf } from './phones.ts'
import {
  channelsOf,
  fundOf,
  invitationsOf,
  jobsOf,
  kycOf,
  signaturesOf,
  teamsOf,
  transactionsOf,
} from './people.ts'
import { statementOf } from './statement.ts'
import { callbacksOf, clockOf, inboxOf, requestsOf, scenariosOf } from './steering.ts'
import { createTransport, type Reach, type Transport } from './transport.ts'
import type { ApiKey, CreatedWorld, Ledger, Mail, Snapshot, Steered, WorldClient } from './types.ts'

const idOf = (snapshot: Snapshot | number) => (typeof snapshot === 'number' ? snapshot : snapshot.id)

/** The client of one world over its transport. */
export function createWorldClient(transport: Transport, reach: Reach): WorldClient {
  const { ask, credentials, url } = transport
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
    signatures: signaturesOf(transport),
    transactions: transactionsOf(transport),
    prompts: promptsOf(transport),
    phone: (number) => phoneOf(transport, number),
    checkout: checkoutOf(transport),
    checkouts: checkoutsOf(transport),
    kyc: kycOf(transport),
    invitations: invitationsOf(transport),
    channels: channelsOf(transport),
    teams: teamsOf(transport),
    jobs: jobsOf(transport),
    fund: fundOf(transport),

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
      delete: async (id) => void (await ask('DELETE', `/sandbox/outbox/${id}`)),
      clear: async () => void (await ask('DELETE', '/sandbox/outbox')),
    },
    ledger: () => ask('GET', '/sandbox/ledger'),
    statement: statementOf(transport),
    async balance(account) {
      const { balances } = await ask<Ledger>('GET', '/sandbox/ledger', { query: { account, limit: 1 } })
      return balances[0]!.balance
    },
    events: (options = {}) => readEvents(transport, options),
    async world(body = {}) {
      const made = await ask<CreatedWorld>('POST', '/sandbox/worlds', { body })
      return createWorldClient(createTransport(url, made.credentials, reach), reach)
    },
  }
}
