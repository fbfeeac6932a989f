import { adminOf } from './admin.ts'
import { auditOf } from './audit.ts'
import { callbacksOf, inboxOf, signaturesOf } from './callbacks.ts'
import { checkoutOf, checkoutsOf } from './checkouts.ts'
import { readEvents } from './events.ts'
import { requireKnown } from './filters.ts'
import { createListeners } from './listen.ts'
import { listOf } from './pages.ts'
import { phoneOf, promptsOf } from './phones.ts'
import { requestsOf } from './requests.ts'
import { scenariosOf } from './scenarios.ts'
import { statementOf } from './statement.ts'
import { channelsOf, fundOf, invitationsOf, kycOf, teamsOf } from './teams.ts'
import { clockOf, jobsOf } from './time.ts'
import { transactionsOf } from './transactions.ts'
import { createTransport, type Reach, SandboxError, type Transport } from './transport.ts'
import type { WorldClient } from './types.ts'
import { apiKeysOf, certificationsOf, outboxOf, snapshotsOf, worldsOf } from './worlds.ts'

const CURRENT = { path: { world: 'current' } }

/**
 * The client of one world over its transport.
 * @param made by this client, so that it is deleted once it is disposed of
 */
export function createWorldClient(transport: Transport, reach: Reach, made = false): WorldClient {
  const { call, credentials, url } = transport
  const scenarios = scenariosOf(transport)
  const listeners = createListeners(transport)
  return {
    url,
    ...credentials,
    authorization: transport.authorization,
    fetch: transport.fetch,
    call,

    show: () => call('getWorld', CURRENT),
    configure: (body) => call('updateWorld', { ...CURRENT, body }),
    reset: async () => void (await call('resetWorld')),
    delete: async () => void (await call('deleteWorld', CURRENT)),

    scenario: scenarios.on,
    scenarios,
    clock: clockOf(transport),
    async settle(how = {}) {
      requireKnown('settle', how, ['within', 'most'])
      return call('settle', { query: how })
    },
    callbacks: callbacksOf(transport),
    inbox: inboxOf(transport),
    requests: requestsOf(transport),
    signatures: signaturesOf(transport),
    transactions: transactionsOf(transport),
    prompts: promptsOf(transport),
    phone: (number) => phoneOf(transport, number),
    phones: () => listOf(transport, 'listPhones', 'phones'),
    checkout: checkoutOf(transport),
    checkouts: checkoutsOf(transport),
    kyc: kycOf(transport),
    invitations: invitationsOf(transport),
    channels: channelsOf(transport),
    teams: teamsOf(transport),
    jobs: jobsOf(transport),
    fund: fundOf(transport),

    lease: async (options) => (await import('./lease.ts')).takeLease(transport, options),
    usedBy: async () => (await call('getLease')).lease,
    snapshots: snapshotsOf(transport),
    export: () => call('exportWorld'),
    import: async (body) => void (await call('importWorld', { body })),
    apiKeys: apiKeysOf(transport),
    outbox: outboxOf(transport),

    ledger: (which = {}) => call('getLedger', { query: which }),
    certification: () => call('getCertification'),
    certifications: certificationsOf(transport),
    statement: statementOf(transport),
    async balance(account) {
      const { balances } = await call('getLedger', { query: { account, limit: 1 } })
      return balances[0]!.balance
    },
    events: (options = {}) => readEvents(transport, options),
    listen: listeners.listen,
    async world(body = {}) {
      const { credentials: theirs } = await call('createWorld', { body })
      return createWorldClient(createTransport(url, theirs, reach), reach, true)
    },
    worlds: worldsOf(transport),
    audit: auditOf(transport),
    admin: (token) => adminOf(transport, token),

    async [Symbol.asyncDispose]() {
      await listeners.end()
      if (made) await call('deleteWorld', CURRENT).catch(unlessGone)
    },
  }
}

/** Whoever deleted it before has done what is wanted, and so has whoever closed the sandbox. */
function unlessGone(error: unknown): void {
  const gone = error instanceof SandboxError ? [401, 404].includes(error.status) : false
  if (!gone) throw error
}
