/** The rows of `GET /api/v2/transactions` of the API's older generation, written while that is on. */
import type { GetWalletQuery, ListAccountTransactionsQuery } from '../../generated/extensions/requests.ts'
import type { AccountTransactionRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { ChannelRow, TeamRow } from '../../storage/store/rows.ts'
import { requireTeam } from './access.ts'
import { type Caller, type Look, next, type Tx } from './context.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { noneLeft, ServiceError } from './errors.ts'
import { collectsIntoWallet } from './limits.ts'
import { currencies } from './money.ts'

type WalletName = AccountTransactionRow['wallet']

/** The wallet that a transaction is booked to. One into a channel moves no wallet but the service wallet, which pays its cost. */
const walletOf = ({ operation, channel_id }: TransactionRow): WalletName =>
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
export function listFunding(
  tx: Tx,
  team: TeamRow,
  wallet: WalletName,
  amount: number,
  currency: string,
): void {
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
export const lastOf = (
  look: Look,
  account_id: number,
  wallet: WalletName,
): AccountTransactionRow | undefined =>
  look.rows.newest('accountTransactions', 'wallet', `${account_id}:${wallet}`, { offset: 0, limit: 1 })[0]

/** Wallets as the API's older generation shows them. */

export type WalletType = GetWalletQuery['wallet_type']

const pots = { service_wallet: 'service_wallet', payment_wallet: 'wallet' } as const

export interface Wallet {
  readonly team: TeamRow
  /** Minor units of the Team's currency. */
  readonly balance: number
}

/** A wallet of a Team. @throws ServiceError 404 for a Team that the caller does not see, and for a wallet that it has not */
export function findWallet(look: Look, caller: Caller, query: GetWalletQuery): Wallet {
  const { wallet_type, account_id, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const account = teamAccount(team.id, pots[wallet_type], team.currency)
  const exists =
    wallet_type === 'service_wallet' ||
    look.rows.get('balances', account) !== undefined ||
    collectsIntoWallet(look, team)
  // The text is observed.
  if (!exists) throw new ServiceError('resource_not_found', 'wallet not found')
  return { team, balance: balanceOf(look, account) }
}

interface CurrencyHoldings {
  readonly currency: string
  /** Each in minor units. */
  readonly wallet: number
  readonly service_wallet: number
  readonly savings: number
  readonly in_transit: number
}

/** What a Team holds, its own currency first, then each that was booked. @throws ServiceError 404 */
export function holdingsOf(look: Look, caller: Caller, account_id: number): readonly CurrencyHoldings[] {
  const team = requireTeam(look, caller, account_id, 'read')
  const others = currencies.filter((currency) => currency !== team.currency && isHeld(look, team, currency))
  return [team.currency, ...others].map((currency) => {
    const held = (pot: keyof Omit<CurrencyHoldings, 'currency'>) =>
      balanceOf(look, teamAccount(team.id, pot, currency))
    return {
      currency,
      wallet: held('wallet'),
      service_wallet: held('service_wallet'),
      savings: held('savings'),
      in_transit: held('in_transit'),
    }
  })
}

const isHeld = (look: Look, { id }: TeamRow, currency: string): boolean =>
  (['wallet', 'savings'] as const).some((pot) => look.rows.get('balances', teamAccount(id, pot, currency)))

/** What the wallet behind a channel holds, and held before the last row that was booked to it; minor units of `currency`. */
interface ChannelBalance {
  readonly currency: string
  readonly last_balance: number
  readonly balance: number
  readonly last_reference: string
}

/** The balance of a channel that is a wallet: of the Team's payment wallet. Undefined for other channels. */
export function balanceOfChannel(look: Look, channel: ChannelRow): ChannelBalance | undefined {
  const team = channel.channel_type === 'wallet' ? look.rows.get('teams', channel.account_id) : undefined
  if (!team) return undefined
  const { currency } = team
  const balance = balanceOf(look, teamAccount(team.id, 'wallet', currency))
  const last = lastOf(look, team.id, 'wallet')
  const transaction = last?.transaction_id ? look.rows.get('transactions', last.transaction_id) : undefined
  return {
    currency,
    last_balance: last ? last.wallet_balance - changeOf(last) : balance,
    balance,
    last_reference: transaction?.reference ?? '',
  }
}

/** What a row did to its wallet. */
const changeOf = ({ transaction_type, amount }: NonNullable<ReturnType<typeof lastOf>>) =>
  transaction_type === 'outbound_payment' || transaction_type === 'service_charge' ? -amount : amount
