import type { PayOfflineBody } from '../generated/control/requests.ts'
import type { TransactionRow } from '../store/rows.ts'
import type { Tx } from './context.ts'
import { invalid } from './errors.ts'
import { moneyText, toMinor } from './money.ts'
import { whyNotKept } from './not-kept.ts'
import { noneLeft } from './request-fields.ts'
import { settle } from './transactions.ts'

const PAYBILL = '756756'
const ACCOUNT = /^553125#(\d+|ws_CO_\d+)$/

/**
 * Pays an offline collection with what the customer types into the phone (specification 4.8), which is then settled.
 * @param from the phone that pays, where it is known
 * @throws ServiceError 400 for another paybill, a wrong account, a second payment or an amount that differs
 */
export function payOffline(
  tx: Tx,
  { paybill, account, amount, ...rest }: PayOfflineBody,
  from?: string,
): TransactionRow {
  noneLeft(rest)
  if (paybill !== PAYBILL) throw invalid(`paybill "${paybill}" must be ${PAYBILL}`)
  const id = ACCOUNT.exec(account)?.[1]
  if (id === undefined) throw invalid(`account "${account}" must be 553125#<CheckoutRequestID>`)
  const row = tx.rows
    .find('transactions', 'identifier', id)
    .find((each) => each.checkout_request_id === id && each.is_offline)
  if (!row) {
    const why = whyNotKept(tx, id) ?? ''
    throw invalid(`account "${account}" belongs to no offline collection${why}`)
  }
  if (row.status !== 'QUEUED') throw invalid(`account "${account}" takes no payment: it is ${row.status}`)
  if (toMinor(amount, row.currency) !== row.amount) {
    const asked = moneyText(row.amount, row.currency)
    throw invalid(`amount must be that of the collection, ${asked}, got ${amount}`)
  }
  if (from !== undefined && from !== row.party) tx.rows.put('transactions', { ...row, paid_by: from })
  settle(tx, row.id, 'SUCCESS', null)
  return tx.rows.get('transactions', row.id)!
}
