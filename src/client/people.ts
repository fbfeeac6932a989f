/** What others than the caller do: the provider, the payer, reviewers, invited people. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { TransactionFilter, WorldClient } from './types.ts'

const TRANSACTION_FILTERS = [
  'status',
  'reason',
  'rail',
  'direction',
  'operation',
  'account_id',
  'reference',
  'party',
  'scenario',
  'callback_state',
  'search',
  'from',
  'to',
]

export const transactionsOf = (transport: Transport): WorldClient['transactions'] => {
  const { call } = transport
  const timeline = (reference: string) => call('getTimeline', { path: { reference } })
  return {
    async list(filter = {}) {
      requireKnown('transactions.list', filter, TRANSACTION_FILTERS)
      return listOf(transport, 'listTransactions', 'transactions', { query: filter })
    },
    get: (reference) => call('getTransaction', { path: { reference } }),
    csv: (filter = {}) => tableOf(transport, filter),
    status: async (reference) =>
      (await timeline(reference)).status as Awaited<ReturnType<WorldClient['transactions']['status']>>,
    timeline,
    simulate: (reference, body) => call('simulateTransaction', { path: { reference }, body }),
    payOffline: (body) => call('payOffline', { body }),
  }
}

/** All pages of the table, the names of its columns once. */
async function tableOf({ send, callAs }: Transport, filter: TransactionFilter): Promise<string> {
  requireKnown('transactions.csv', filter, TRANSACTION_FILTERS)
  const query = { ...filter, format: 'csv', limit: 1_000 }
  const parts: string[] = []
  for (let before: string | undefined; ;) {
    const answer = await send('GET', '/sandbox/transactions', { query: { ...query, before } })
    // Refused as any other request is.
    if (!answer.ok) return String(await callAs('listTransactions', { query }))
    const text = await answer.text()
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    before = /[?&]before=(\d+)/.exec(answer.headers.get('link') ?? '')?.[1]
    if (before === undefined) return parts.join('')
  }
}

export const teamsOf = (transport: Transport): WorldClient['teams'] => ({
  list: (search) => listOf(transport, 'listTeams', 'teams', { query: { search } }),
  get: (id) => transport.call('getTeam', { path: { id } }),
})

export const jobsOf =
  (transport: Transport): WorldClient['jobs'] =>
  async (filter = {}) => {
    requireKnown('jobs', filter, ['state', 'kind', 'until'])
    return listOf(transport, 'listJobs', 'jobs', { query: filter })
  }

export const kycOf = (transport: Transport): WorldClient['kyc'] => ({
  async list(filter = {}) {
    requireKnown('kyc.list', filter, ['status', 'account_id'])
    return listOf(transport, 'listKycReviews', 'kyc', { query: filter }, 100)
  },
  show: (id) => transport.call('getKycReview', { path: { id } }),
  review: (id, body) => transport.call('reviewKyc', { path: { id }, body }),
})

export const invitationsOf = (transport: Transport): WorldClient['invitations'] => {
  // The link of a mail ends with the token.
  const path = (token: string) => ({ token: token.replace(/^.*\//s, '') })
  return {
    async list(filter = {}) {
      requireKnown('invitations.list', filter, ['status', 'account_id', 'email'])
      return listOf(transport, 'listInvites', 'invites', { query: filter })
    },
    accept: (token) => transport.call('acceptInvite', { path: path(token) }),
    decline: (token) => transport.call('declineInvite', { path: path(token) }),
  }
}

export const channelsOf = ({ call }: Transport): WorldClient['channels'] => ({
  create: async (body) => (await call('createChannel', { body })).payment_channel,
  update: async (id, body) => (await call('updateChannel', { path: { id }, body })).payment_channel,
})

export const fundOf =
  ({ call }: Transport): WorldClient['fund'] =>
  (id, body) =>
    call('fundTeam', { path: { id }, body })

export const signaturesOf = ({ call }: Transport): WorldClient['signatures'] => ({
  secret: async () => (await call('getSigningSecret')).secret,
  show: () => call('getSigningSecret'),
  rotate: (body = {}) => call('rotateSigningSecret', { body }),
  keys: () => call('getSigningKeys'),
  check: (body) => call('checkSignature', { body }),
})
