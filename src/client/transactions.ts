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

/** `world.transactions`: transactions, their timelines, and what a provider does with them. */
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
