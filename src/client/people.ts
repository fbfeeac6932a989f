/** What others than the caller do: the provider, the payer, reviewers, invited people. */
import { requireKnown } from './filters.ts'
import { pagesOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type {
  Invite,
  Job,
  KycReview,
  PaymentChannel,
  SigningSecret,
  Team,
  Timeline,
  Transaction,
  TransactionFilter,
  WorldClient,
} from './types.ts'

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
  const { ask } = transport
  const path = (reference: string) => `/sandbox/transactions/${encodeURIComponent(reference)}`
  const timeline = (reference: string) => ask<Timeline>('GET', `${path(reference)}/timeline`)
  const pages = async (asked: string, filter: TransactionFilter) => {
    requireKnown(asked, filter, TRANSACTION_FILTERS)
    return (
      await pagesOf<Transaction>(transport, '/sandbox/transactions', 'transactions', { ...filter })
    ).flat()
  }
  return {
    list: (filter = {}) => pages('transactions.list', filter),
    get: (reference) => ask('GET', path(reference)),
    csv: (filter = {}) => tableOf(transport, filter),
    status: async (reference) =>
      (await timeline(reference)).status as Awaited<ReturnType<WorldClient['transactions']['status']>>,
    timeline,
    simulate: (reference, body) => ask('POST', `${path(reference)}/simulate`, { body }),
    payOffline: (body) => ask('POST', '/sandbox/offline-payments', { body }),
  }
}

/** All pages of the table, the names of its columns once. */
async function tableOf({ send, ask }: Transport, filter: TransactionFilter): Promise<string> {
  requireKnown('transactions.csv', filter, TRANSACTION_FILTERS)
  const path = '/sandbox/transactions'
  const query = { ...filter, format: 'csv', limit: 1_000 }
  const parts: string[] = []
  for (let before: string | undefined; ;) {
    const answer = await send('GET', path, { query: { ...query, before } })
    // Refused as any other request is.
    if (!answer.ok) return ask('GET', path, { query })
    const text = await answer.text()
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    before = /[?&]before=(\d+)/.exec(answer.headers.get('link') ?? '')?.[1]
    if (before === undefined) return parts.join('')
  }
}

export const teamsOf = (transport: Transport): WorldClient['teams'] => ({
  list: async (search) => (await pagesOf<Team>(transport, '/sandbox/teams', 'teams', { search })).flat(),
  get: (id) => transport.ask('GET', `/sandbox/teams/${id}`),
})

export const jobsOf =
  (transport: Transport): WorldClient['jobs'] =>
  async (filter = {}) => {
    requireKnown('jobs', filter, ['state', 'kind', 'until'])
    return (await pagesOf<Job>(transport, '/sandbox/jobs', 'jobs', { ...filter })).flat()
  }

export const kycOf = (transport: Transport): WorldClient['kyc'] => ({
  async list(filter = {}) {
    requireKnown('kyc.list', filter, ['status', 'account_id'])
    return (await pagesOf<KycReview>(transport, '/sandbox/kyc', 'kyc', { ...filter }, 100)).flat()
  },
  show: (id) => transport.ask('GET', `/sandbox/kyc/${id}`),
  review: (id, body) => transport.ask('POST', `/sandbox/kyc/${id}/review`, { body }),
})

export const invitationsOf = (transport: Transport): WorldClient['invitations'] => {
  const { ask } = transport
  // The link of a mail ends with the token.
  const path = (token: string) => `/sandbox/invites/${encodeURIComponent(token.replace(/^.*\//s, ''))}`
  return {
    async list(filter = {}) {
      requireKnown('invitations.list', filter, ['status', 'account_id', 'email'])
      return (await pagesOf<Invite>(transport, '/sandbox/invites', 'invites', { ...filter })).flat()
    },
    accept: (token) => ask('POST', `${path(token)}/accept`),
    decline: (token) => ask('POST', `${path(token)}/decline`),
  }
}

export const channelsOf = ({ ask }: Transport): WorldClient['channels'] => {
  const answered = async (method: string, path: string, body: object) =>
    (await ask<{ payment_channel: PaymentChannel }>(method, path, { body })).payment_channel
  return {
    create: (body) => answered('POST', '/sandbox/channels', body),
    update: (id, body) => answered('PATCH', `/sandbox/channels/${id}`, body),
  }
}

export const fundOf =
  ({ ask }: Transport): WorldClient['fund'] =>
  (account_id, body) =>
    ask('POST', `/sandbox/teams/${account_id}/fund`, { body })

export const signaturesOf = ({ ask }: Transport): WorldClient['signatures'] => {
  const show = () => ask<SigningSecret>('GET', '/sandbox/signing-secret')
  return {
    secret: async () => (await show()).secret,
    show,
    rotate: (body = {}) => ask('POST', '/sandbox/signing-secret', { body }),
    check: (body) => ask('POST', '/sandbox/signatures/check', { body }),
  }
}
