import { listBy } from './lists.ts'
import { type FilterOf, requireFilters } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  PayOfflineRequest,
  SimulateTransactionRequest,
  Statement,
  Timeline,
  Transaction,
  TransactionDetails,
  TransactionStatus,
} from '../generated/control/types.ts'

/**
 * Filter of `world.transactions.list`.
 * @example
 * ```ts
 * const collected: TransactionFilter = { direction: 'payin', status: 'SUCCESS', party: '0712345678' }
 * const [transaction] = await world.transactions.list(collected)
 * transaction?.amount // => { amount: 1000, currency: 'KES', minor: 100000 }
 * ```
 */
export type TransactionFilter = FilterOf<'listTransactions'>

/**
 * The transactions of a world: `world.transactions`.
 * @example
 * ```ts
 * const collected = await world.transactions.list({ direction: 'payin' })
 * collected.map(({ amount }) => amount.amount) // => [1000]
 * ```
 */
export interface TransactionsClient {
  /** Lists transactions, newest first. */
  list(filter?: TransactionFilter): Promise<readonly Transaction[]>
  /** Returns a transaction with its states, callbacks, pending jobs and request. @param reference - Any identifier of it. */
  get(reference: string): Promise<TransactionDetails>
  /** Returns the transactions as CSV with a header line. */
  csv(filter?: TransactionFilter): Promise<string>
  /** Returns the current status without a status query, so the request log does not change. @param reference - Any identifier of the transaction. */
  status(reference: string): Promise<'QUEUED' | 'SUCCESS' | 'FAILED' | 'REVERSED'>
  /** Returns its events, oldest first. */
  timeline(reference: string): Promise<Timeline>
  /** Ends the transaction as the provider would. */
  simulate(reference: string, how: SimulateTransactionRequest): Promise<TransactionStatus>
  /** Pays an offline collection as the customer would on the phone. */
  payOffline(payment: PayOfflineRequest): Promise<TransactionStatus>
}

/**
 * Filter of `world.ledger`.
 * @example
 * ```ts
 * const wallet: LedgerFilter = { account: 'team:63:wallet' }
 * const { balances } = await world.ledger(wallet)
 * balances[0]?.balance // => 100985
 * ```
 */
export type LedgerFilter = FilterOf<'getLedger'>

/**
 * Filter of `world.statement`.
 * @example
 * ```ts
 * const june: StatementFilter = { account_id: 63, from: '2026-06-01', to: '2026-07-01' }
 * const statement = await world.statement(june)
 * statement.wallet // => 'wallet'
 * ```
 */
export interface StatementFilter extends Omit<FilterOf<'getStatement'>, 'from' | 'to'> {
  /** The start of the period, inclusive: a time, or a day, which starts at midnight in the Team's country. */
  readonly from?: string | Date | undefined
  /** The end of the period, exclusive. */
  readonly to?: string | Date | undefined
}

export const transactionsOf = (transport: Transport): TransactionsClient => {
  const { call } = transport
  const timeline = (reference: string) => call('getTimeline', { path: { reference } })
  return {
    list: (filter) => listBy(transport, 'transactions.list', 'listTransactions', 'transactions', filter),
    get: (reference) => call('getTransaction', { path: { reference } }),
    csv: (filter = {}) => tableOf(transport, filter),
    status: async (reference) =>
      (await timeline(reference)).status as Awaited<ReturnType<TransactionsClient['status']>>,
    timeline,
    simulate: (reference, body) => call('simulateTransaction', { path: { reference }, body }),
    payOffline: (body) => call('payOffline', { body }),
  }
}

/** Returns all pages as one table with a single header line. */
async function tableOf({ send, callAs }: Transport, filter: TransactionFilter): Promise<string> {
  requireFilters('transactions.csv', 'listTransactions', filter)
  const query = { ...filter, format: 'csv', limit: 1_000 }
  const parts: string[] = []
  for (let before: string | undefined; ;) {
    const response = await send('GET', '/sandbox/transactions', { query: { ...query, before } })
    // Throws the same SandboxError as any other operation.
    if (!response.ok) return String(await callAs('listTransactions', { query }))
    const text = await response.text()
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    before = /[?&]before=(\d+)/.exec(response.headers.get('link') ?? '')?.[1]
    if (before === undefined) return parts.join('')
  }
}

/** Lines per page. */
const LIMIT = 10_000

/** Returns all pages of a statement as one. */
export async function statementOf({ call }: Transport, filter: StatementFilter = {}): Promise<Statement> {
  requireFilters('statement', 'getStatement', filter)
  const { from, to, ...rest } = filter
  const query = { ...rest, from: timeText(from), to: timeText(to), limit: LIMIT }
  const page = (after: number | undefined) => call('getStatement', { query: { ...query, after } })
  let last = await page(undefined)
  const lines = [...last.lines]
  while (last.next_after !== null) lines.push(...(last = await page(last.next_after)).lines)
  return { ...last, lines }
}

const timeText = (time: string | Date | undefined) => (time instanceof Date ? time.toISOString() : time)
