/** The rows of `GET /api/v2/transactions` of the API's older generation, written while that is on. */
import type { ListAccountTransactionsQuery } from '../../generated/extensions/requests.ts'
import type { AccountTransactionRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { requireTeam } from './access.ts'
import type { Caller, Look, Tx } from './context.ts'
import { next } from './counters.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { noneLeft } from './request-fields.ts'

type Wallet = AccountTransactionRow['wallet']

/** The wallet that a transaction is booked to. One into a channel moves no wallet but the service wallet, which pays its cost. */
const walletOf = ({ operation, channel_id }: TransactionRow): Wallet =>
  operation === 'topUpServiceWallet' || channel_id !== null ? 'service_wallet' : 'wallet'

const typeOf = ({ operation, direction }: TransactionRow) => {
  if (operation === 'topUpServiceWallet') return 'wallet_top_up'
  return direction === 'payin' ? 'inbound_payment' : 'outbound_payment'
}

/** Lists what a transaction has just booked: its amount, and its charge as a row of its own. @param sign -1 of a reversal */
export function listBooked(tx: Tx, row: TransactionRow, sign: 1 | -1 = 1): void {
  if (!tx.settings.extensions) return
  const { id, account_id, currency, amount, cost } = row
  const wallet = walletOf(row)
  const balance = balanceOf(tx, teamAccount(account_id, wallet, currency))
  const booked = { account_id, wallet, transaction_id: id, currency }
  add(tx, {
    ...booked,
    transaction_type: typeOf(row),
    amount: sign * amount,
    wallet_balance: balance + sign * cost,
  })
  if (cost !== 0)
    add(tx, {
      ...booked,
      transaction_type: 'service_charge',
      amount: sign * cost,
      wallet_balance: balance,
    })
}

/** Lists money that came into a wallet by no transaction; `amount` in minor units. */
export function listFunding(tx: Tx, team: TeamRow, wallet: Wallet, amount: number, currency: string): void {
  if (!tx.settings.extensions) return
  add(tx, {
    account_id: team.id,
    wallet,
    transaction_type: 'wallet_top_up',
    transaction_id: null,
    currency,
    amount,
    wallet_balance: balanceOf(tx, teamAccount(team.id, wallet, currency)),
  })
}

const add = (tx: Tx, row: Omit<AccountTransactionRow, 'id' | 'created_at'>) =>
  tx.rows.insert('accountTransactions', { id: next(tx, 'account_transaction'), created_at: tx.now, ...row })

/** A row with the transaction that it tells of. */
export interface ListedTransaction {
  readonly row: AccountTransactionRow
  readonly transaction: TransactionRow | undefined
}

/** A page of what was booked to the wallets of one Team, newest first; `page` counts from 1. @throws ServiceError 404 */
export function listAccountTransactions(look: Look, caller: Caller, query: ListAccountTransactionsQuery) {
  const { account_id, page, per, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const count = look.rows.count('accountTransactions', 'account', team.id)
  const offset = (page - 1) * per
  const rows =
    offset >= count
      ? []
      : look.rows.walk('accountTransactions', 'account', team.id, { offset, limit: per, newestFirst: true })
  const listed = rows.map((row): ListedTransaction => ({
    row,
    transaction: row.transaction_id === null ? undefined : look.rows.get('transactions', row.transaction_id),
  }))
  return { listed, count }
}

/** The last row of a wallet of a Team; undefined where nothing was booked to it. */
export const lastOf = (look: Look, account_id: number, wallet: Wallet): AccountTransactionRow | undefined =>
  look.rows.newest('accountTransactions', 'wallet', `${account_id}:${wallet}`, { offset: 0, limit: 1 })[0]
