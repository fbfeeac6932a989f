import type { PayOfflineBody } from '../../generated/control/requests.ts'
import type { TransactionRow, Draft } from '../../storage/store/payment-rows.ts'
import { moneyText, requireCovers, toMinor } from './money.ts'
import { invalid, noneLeft } from './errors.ts'
import { archivedHint } from './archive.ts'
import { isRealistic, type Tx } from './context.ts'
import { simulate } from './reversals.ts'
import { accept, settle } from './transactions.ts'

const PAYBILL = '756756'
const ACCOUNT = /^553125#(\d+|ws_CO_\d+)$/

/**
 * Pays an offline collection with the data that the customer types into the phone (specification 4.8), and settles it.
 * @param from - the phone that pays, if known
 * @throws {ServiceError} 400 for another paybill, a wrong account, a second payment or a different amount
 */
export function payOffline(
  tx: Tx,
  { paybill, account, amount, ...rest }: PayOfflineBody,
  from?: string,
): TransactionRow {
  noneLeft(rest)
  if (paybill !== PAYBILL) throw invalid(`paybill must be ${PAYBILL}, got "${paybill}"`)
  const id = ACCOUNT.exec(account)?.[1]
  if (id === undefined) throw invalid(`account must be 553125#<CheckoutRequestID>, got "${account}"`)
  const row = tx.rows
    .find('transactions', 'identifier', id)
    .find((each) => each.checkout_request_id === id && each.is_offline)
  if (!row) {
    const why = archivedHint(tx, id) ?? ''
    throw invalid(`account "${account}" belongs to no offline collection${why}`)
  }
  if (isRealistic(tx)) return bookPaid(tx, row, toMinor(amount, row.currency))
  if (row.status !== 'QUEUED')
    throw invalid(
      `account "${account}" is of a collection that is ${row.status}; only a QUEUED one can be paid`,
    )
  if (toMinor(amount, row.currency) !== row.amount) {
    const asked = moneyText(row.amount, row.currency)
    throw invalid(`amount must be the amount of the collection, ${asked}, got ${amount}`)
  }
  if (from !== undefined && from !== row.party) tx.rows.put('transactions', { ...row, paid_by: from })
  settle(tx, row.id, 'SUCCESS', null)
  return tx.rows.get('transactions', row.id)!
}

/**
 * Books a payment as a real paybill does, where the money moves before anything is compared: a different amount, an
 * expired collection, or a second payment, which becomes a transaction of its own (assumed).
 * @throws {ServiceError} 400 if the amount is below the cost, or the collection was reversed
 */
function bookPaid(tx: Tx, row: TransactionRow, amount: number): TransactionRow {
  requireCovers(amount, row.cost, row.currency)
  if (row.status === 'SUCCESS') {
    const { id } = accept(tx, { ...draftOf(row), amount })
    settle(tx, id, 'SUCCESS', null)
    return tx.rows.get('transactions', id)!
  }
  const paid = { ...row, amount }
  tx.rows.put('transactions', paid)
  return simulate(tx, paid, 'success', undefined)
}

const draftOf = (row: TransactionRow): Draft => ({
  operation: row.operation,
  direction: row.direction,
  rail: row.rail,
  account_id: row.account_id,
  channel_id: row.channel_id,
  is_offline: row.is_offline,
  amount: row.amount,
  cost: row.cost,
  amount_to_save: row.amount_to_save,
  currency: row.currency,
  country: row.country,
  provider: row.provider,
  party: row.party,
  external_reference: row.external_reference,
  callback_url: row.callback_url,
  redirect_url: row.redirect_url,
})
