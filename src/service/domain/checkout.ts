/** What a payer does on the page of a pay-in, and how the settlement waits for it. */
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Tx } from './context.ts'
import { invalid } from './errors.ts'
import { addJob } from './jobs.ts'
import { CHECKOUT_LASTS, forgetWaiting } from './payer.ts'
import { endAsDecided, endOf, failInstead } from './transactions.ts'
import { wireTime } from './wire-time.ts'

/** Whether it has a page: a pay-in of the unified endpoint. */
export const hasCheckout = ({ operation, direction }: TransactionRow): boolean =>
  operation === 'createGlobalPayment' && direction === 'payin'

/**
 * A payer has the page open: nothing settles the payment by itself any more, and left alone it expires. A page that was open
 * before waits no longer for being opened again; what a scenario leaves queued for ever stays so.
 */
export function openCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED' || row.checkout_expires_at !== undefined) return
  forgetWaiting(tx, row)
  const checkout_expires_at = tx.now + CHECKOUT_LASTS
  tx.rows.put('transactions', { ...row, checkout_opened_at: tx.now, checkout_expires_at })
  if (!row.plan?.settle?.never) addJob(tx, CHECKOUT_LASTS, { kind: 'expire', transaction_id: id })
}

/** The payer pays: the payment ends at once as it was decided, in the failure of a scenario where there is one. */
export function payCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'QUEUED') endAsDecided(tx, row)
}

/**
 * The payer cancels.
 * @throws ServiceError 400 when the payment has succeeded before
 */
export function cancelCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'SUCCESS')
    throw invalid(
      `payment ${row.reference} cannot be cancelled any more: it was paid at ${wireTime(row.settled_at!)}`,
    )
  if (row) failInstead(tx, row, 'cancelled')
}

/** The page's time is up: a payer whose card was declined is told that again, one who did nothing that it has expired. */
export function endCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (!row) return
  const last = row.cards?.at(-1)
  const declined = last?.outcome === 'declined' ? last.reason : null
  failInstead(tx, row, endOf(row).reason ?? declined ?? 'expired')
}
