/**
 * What each transaction does to the ledger: nothing is final before SUCCESS, and what was promised until then
 * sits in transit.
 */
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { PostingLine } from '../../storage/store/posting-lines.ts'
import { listBooked } from './wallets.ts'
import type { Tx } from './context.ts'
import { moveOnPhone } from './payer.ts'
import { type Pot, feesAccount, outsideAccount, post, teamAccount } from './ledger.ts'

/** A collection into a wallet takes nothing from the Team; everything else sets aside what it will take. */
const setsAside = (row: TransactionRow): { pot: Pot; amount: number } | undefined => {
  if (row.direction === 'payout') return { pot: 'wallet', amount: row.amount + row.cost }
  if (row.channel_id !== null) return { pot: 'service_wallet', amount: row.cost }
  return undefined
}

/**
 * Sets aside what the transaction will take from the Team.
 * @throws ServiceError `insufficient balance`
 */
export function reserve(tx: Tx, row: TransactionRow): void {
  const aside = setsAside(row)
  if (!aside) return
  book(tx, row, 'reserve', [
    { account: teamAccount(row.account_id, aside.pot, row.currency), amount: -aside.amount },
    { account: teamAccount(row.account_id, 'in_transit', row.currency), amount: aside.amount },
  ])
}

/** Gives back what was set aside. */
export function release(tx: Tx, row: TransactionRow): void {
  const aside = setsAside(row)
  if (!aside) return
  book(tx, row, 'release', [
    { account: teamAccount(row.account_id, 'in_transit', row.currency), amount: -aside.amount },
    { account: teamAccount(row.account_id, aside.pot, row.currency), amount: aside.amount },
  ])
}

/** Makes the transaction's money final. */
export function complete(tx: Tx, row: TransactionRow): void {
  book(tx, row, row.direction === 'payout' ? 'payout' : 'collection', finalLines(row))
  listBooked(tx, row)
  moveOnPhone(tx, row, false)
}

/**
 * Moves a final transaction's money back to where it was before it was asked for.
 * @throws ServiceError `insufficient balance` when the Team has spent it
 */
export function reverse(tx: Tx, row: TransactionRow): void {
  const inTransit = teamAccount(row.account_id, 'in_transit', row.currency)
  const origin = teamAccount(row.account_id, setsAside(row)?.pot ?? fills(row), row.currency)
  const lines = finalLines(row).map(({ account, amount }) => ({
    account: account === inTransit ? origin : account,
    amount: -amount,
  }))
  book(tx, row, 'reversal', lines)
  listBooked(tx, row, -1)
  moveOnPhone(tx, row, true)
}

/** Where the money of a collection that settles with the service goes. */
const fills = ({ operation }: TransactionRow): Pot =>
  operation === 'topUpServiceWallet' ? 'service_wallet' : 'wallet'

function finalLines(row: TransactionRow): PostingLine[] {
  const { amount, cost, currency } = row
  const pot = (name: Pot) => teamAccount(row.account_id, name, currency)
  const fees = { account: feesAccount(currency), amount: cost }
  if (row.direction === 'payout')
    return [
      { account: pot('in_transit'), amount: -(amount + cost) },
      { account: outsideAccount(currency), amount: amount - row.amount_to_save },
      { account: pot('savings'), amount: row.amount_to_save },
      fees,
    ]
  // The payer's money goes straight to the channel; only the cost passes through the service.
  if (row.channel_id !== null) return [{ account: pot('in_transit'), amount: -cost }, fees]
  return [
    { account: outsideAccount(currency), amount: -amount },
    { account: pot(fills(row)), amount: amount - cost },
    fees,
  ]
}

const book = (tx: Tx, row: TransactionRow, kind: string, lines: PostingLine[]) =>
  post(tx, { kind, currency: row.currency, transaction_id: row.id, lines })
