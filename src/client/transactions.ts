/** Transactions, and which of them are meant. */
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
 * Which transactions are meant.
 * @example
 * ```ts
 * import type { TransactionFilter } from 'payments-sandbox'
 *
 * const collected: TransactionFilter = { direction: 'payin', status: 'SUCCESS', party: '0712345678' }
 * const [transaction] = await world.transactions.list(collected)
 * transaction?.amount // => { amount: 1000, currency: 'KES', minor: 100000 }
 * ```
 */
export type TransactionFilter = FilterOf<'listTransactions'>

/**
 * The transactions of a world, and what becomes of them.
 * @example
 * ```ts
 * import type { TransactionsClient } from 'payments-sandbox'
 *
 * const amounts = async (transactions: TransactionsClient) => {
 *   const collected = await transactions.list({ direction: 'payin' })
 *   return collected.map(({ amount }) => amount.amount)
 * }
 * await amounts(world.transactions) // => [1000]
 * ```
 */
export interface TransactionsClient {
  /** Newest first. */
  list(filter?: TransactionFilter): Promise<readonly Transaction[]>
  /** With its states, callbacks, what is owed for it, and its request. @param reference any identifier of it */
  get(reference: string): Promise<TransactionDetails>
  /** A table for a spreadsheet, with the names of its columns first. */
  csv(filter?: TransactionFilter): Promise<string>
  /** Where it stands. Nothing is asked of the service, so nothing is on record. @param reference any identifier of it */
  status(reference: string): Promise<'QUEUED' | 'SUCCESS' | 'FAILED' | 'REVERSED'>
  /** What happened to it, oldest first. */
  timeline(reference: string): Promise<Timeline>
  /** Ends it as the provider would. */
  simulate(reference: string, how: SimulateTransactionRequest): Promise<TransactionStatus>
  /** What a customer does at the phone to pay an offline collection. */
  payOffline(payment: PayOfflineRequest): Promise<TransactionStatus>
}

/**
 * Which part of the ledger is meant.
 * @example
 * ```ts
 * import type { LedgerFilter } from 'payments-sandbox'
 *
 * const wallet: LedgerFilter = { account: 'team:63:wallet' }
 * const { balances } = await world.ledger(wallet)
 * balances[0]?.balance // => 100985
 * ```
 */
export type LedgerFilter = FilterOf<'getLedger'>

/**
 * What a statement is asked of.
 * @example
 * ```ts
 * import type { StatementFilter } from 'payments-sandbox'
 *
 * const june: StatementFilter = { account_id: 63, from: '2026-06-01', to: '2026-07-01' }
 * const statement = await world.statement(june)
 * statement.wallet // => 'wallet'
 * ```
 */
export interface StatementFilter extends Omit<FilterOf<'getStatement'>, 'from' | 'to'> {
  /** A day, which begins at midnight in the Team's country, or a time; it belongs to the period. */
  readonly from?: string | Date | undefined
  /** The same, which does not belong to it any more. */
  readonly to?: string | Date | undefined
}

/** `world.transactions`: transactions, their timelines, and what a provider does with them. */
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

/** All pages of the table, the names of its columns once. */
async function tableOf({ send, callAs }: Transport, filter: TransactionFilter): Promise<string> {
  requireFilters('transactions.csv', 'listTransactions', filter)
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

/** Lines a page. */
const LIMIT = 10_000

/** Returns a statement, all its pages in one. */
export async function statementOf({ call }: Transport, asked: StatementFilter = {}): Promise<Statement> {
  requireFilters('statement', 'getStatement', asked)
  const { from, to, ...rest } = asked
  const query = { ...rest, from: timeText(from), to: timeText(to), limit: LIMIT }
  const page = (after: number | undefined) => call('getStatement', { query: { ...query, after } })
  let last = await page(undefined)
  const lines = [...last.lines]
  while (last.next_after !== null) lines.push(...(last = await page(last.next_after)).lines)
  return { ...last, lines }
}

const timeText = (time: string | Date | undefined) => (time instanceof Date ? time.toISOString() : time)
