/** Changes of final transactions: late success and reversal. */
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { enqueueCallback } from './callbacks.ts'
import type { Tx } from './context.ts'
import { receiptOf } from './references.ts'
import { invalid, ServiceError } from './errors.ts'
import { complete, countAgain, reserve, reverse } from './wallets.ts'
import { type Reason, reasonsOf } from '../vocabulary/rails.ts'
import { settle } from './transactions.ts'

/**
 * Applies a planned change to a final transaction. If the ledger no longer allows it, because the money of a reversal
 * is spent, the transaction stays unchanged and its history contains the error.
 * @returns the error, if any
 */
export function changeLater(tx: Tx, id: number, status: 'SUCCESS' | 'REVERSED'): string | undefined {
  const row = tx.rows.get('transactions', id)
  if (!row) return undefined
  try {
    if (status === 'REVERSED') reverseTransaction(tx, row)
    else succeedLate(tx, row)
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const refused = { at: tx.now, status, reason: null, rejection_reason: error.message }
    const history = [...(row.history ?? []), refused]
    tx.rows.put('transactions', { ...row, kept_from: undefined, history })
    return `transaction ${row.reference} could not become ${status}: ${error.message}`
  }
}

/** The history, with the previous state added. */
const left = ({ history = [], settled_at, created_at, status, reason }: TransactionRow) => [
  ...history,
  { at: settled_at ?? created_at, status, reason },
]

/**
 * Reverses a success: returns its money and sends the new result.
 * @throws {ServiceError} if it is not a success, or the money is no longer available
 */
export function reverseTransaction(tx: Tx, row: TransactionRow): void {
  if (row.status !== 'SUCCESS')
    throw invalid(`transaction ${row.reference} is ${row.status}; only a SUCCESS can be reversed`)
  reverse(tx, row)
  const reversed: TransactionRow = {
    ...row,
    status: 'REVERSED',
    settled_at: tx.now,
    kept_from: undefined,
    history: left(row),
  }
  tx.rows.put('transactions', reversed)
  enqueueCallback(tx, reversed)
}

/**
 * Ends a transaction manually: a queued one in success or failure, a failed one in late success, a success in reversal.
 * @throws {ServiceError} 400 if its state does not allow the result
 */
export function simulate(
  tx: Tx,
  row: TransactionRow,
  outcome: 'success' | 'failed' | 'reversed',
  reason: Reason | undefined,
): TransactionRow {
  if (reason && outcome !== 'failed') throw invalid(`reason ${reason} is only for outcome failed`)
  const reasons = reasonsOf(row.direction, row.rail)
  if (reason && !reasons.includes(reason))
    throw invalid(
      `reason must be one of ${reasons.join(', ')} for a ${row.direction} by ${row.rail}, got "${reason}"`,
    )
  if (outcome === 'reversed') reverseTransaction(tx, row)
  else if (outcome === 'success' && row.status === 'FAILED') succeedLate(tx, row)
  else if (row.status !== 'QUEUED')
    throw invalid(`transaction ${row.reference} is ${row.status}; it cannot become ${outcome}`)
  else if (outcome === 'success') settle(tx, row.id, 'SUCCESS', null)
  else settle(tx, row.id, 'FAILED', reason ?? (row.direction === 'payin' ? 'cancelled' : 'operator_error'))
  return tx.rows.get('transactions', row.id)!
}

/** Turns a failure into a success: reserves and moves its money again. */
function succeedLate(tx: Tx, row: TransactionRow): void {
  if (row.status !== 'FAILED') return
  const late: TransactionRow = {
    ...row,
    status: 'SUCCESS',
    reason: null,
    provider_reference: receiptOf(tx.random, row, tx.now),
    settled_at: tx.now,
    kept_from: undefined,
    history: left(row),
  }
  reserve(tx, late)
  complete(tx, late)
  countAgain(tx, row)
  tx.rows.put('transactions', late)
  enqueueCallback(tx, late)
}
