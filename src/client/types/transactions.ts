/** Transactions, and which of them are meant. */
import type {
  PayOfflineRequest,
  SimulateTransactionRequest,
  Statement,
  Timeline,
  Transaction,
  TransactionDetails,
  TransactionStatus,
} from '../../generated/control/types.ts'

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
export interface TransactionFilter {
  readonly status?: Transaction['status'] | undefined
  readonly reason?: string | undefined
  readonly rail?: Transaction['rail'] | undefined
  readonly direction?: Transaction['direction'] | undefined
  readonly operation?: Transaction['operation'] | undefined
  readonly account_id?: number | undefined
  /** Any identifier that the service returned, your own reference, or the receipt. */
  readonly reference?: string | undefined
  /** A phone, in any of its forms, or an account. */
  readonly party?: string | undefined
  readonly scenario?: string | undefined
  readonly callback_state?: Transaction['callback_state'] | undefined
  /** A part of an identifier, the party or the provider. */
  readonly search?: string | undefined
  /** Accepted at or after this time of the world's clock, as ISO 8601. */
  readonly from?: string | undefined
  /** Accepted before this time. */
  readonly to?: string | undefined
}

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
export interface LedgerFilter {
  /** Any identifier of it. */
  readonly transaction?: string | undefined
  readonly account?: string | undefined
}

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
export interface StatementFilter {
  readonly account_id?: number | undefined
  readonly wallet?: Statement['wallet'] | undefined
  readonly currency?: string | undefined
  /** A day, which begins at midnight in the Team's country, or a time; it belongs to the period. */
  readonly from?: string | Date | undefined
  /** The same, which does not belong to it any more. */
  readonly to?: string | Date | undefined
}
