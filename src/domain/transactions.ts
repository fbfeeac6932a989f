import type { TransactionRow } from '../store/rows.ts'
import { type Draft, newTransaction } from '../store/transaction-row.ts'
import { membershipIn } from './access.ts'
import { enqueueCallback } from './callbacks.ts'
import type { Caller, Look, Tx } from './context.ts'
import { next } from './counters.ts'
import { addJob } from './jobs.ts'
import { returnAllowance } from './limits.ts'
import { complete, release, reserve } from './movements.ts'
import { transactionNotFound } from './not-kept.ts'
import { planExpiry } from './offline-expiry.ts'
import { receiptOf, makeReference } from './references.ts'
import { foldOld } from './retention.ts'
import type { Reason } from '../reasons.ts'

/**
 * Accepts a transaction: gives it its ids, sets its money aside and enqueues its settlement.
 * @throws ServiceError `insufficient balance`
 */
export function accept(tx: Tx, draft: Draft): TransactionRow {
  const id = next(tx, 'transaction')
  const made = newTransaction(draft, {
    id,
    reference: makeReference(tx.random, id, tx.now, draft.direction),
    checkout_request_id:
      draft.operation === 'createCollection' ? String(next(tx, 'checkout')) : tx.random.uuid('checkout', id),
    plan: tx.decision?.outcome.plan ?? null,
    created_at: tx.now,
  })
  const scenario = tx.decision?.scenario
  const row = scenario ? { ...made, scenario } : made
  reserve(tx, row)
  tx.rows.insert('transactions', row)
  enqueueSettlement(tx, row)
  return row
}

/** Enqueues the settlement that the plan asks for; without a plan, success after the usual time. */
function enqueueSettlement(tx: Tx, row: TransactionRow): void {
  const { settle: end, callback } = row.plan ?? {}
  const { status, reason } = endOf(row)
  if (callback?.first) {
    tx.decision?.before_answer.push(...settle(tx, row.id, status, reason))
    return
  }
  // An offline collection waits for someone to pay at the paybill.
  if (row.is_offline && !end) return planExpiry(tx, row.id)
  const waits = end?.never ?? end?.after_polls !== undefined
  if (waits) return
  const after = end?.after ?? tx.settings.settle_after
  addJob(tx, after, { kind: 'settle', transaction_id: row.id, status, reason })
}

/**
 * Ends a transaction when its time has come, unless a payer has its page open: then he ends it, or that page's own time.
 * @returns what came of it, in a few words
 */
export function settleWhenDue(
  tx: Tx,
  id: number,
  status: 'SUCCESS' | 'FAILED',
  reason: Reason | null,
): string {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'QUEUED' && row.checkout_opened_at !== undefined) return 'waits for the payer'
  settle(tx, id, status, reason)
  return status
}

/** How a transaction ends when nothing comes between. */
export function endOf({ plan }: TransactionRow): { status: 'SUCCESS' | 'FAILED'; reason: Reason | null } {
  const { status, reason } = plan?.settle ?? {}
  return status === 'failed'
    ? { status: 'FAILED', reason: reason ?? 'operator_error' }
    : { status: 'SUCCESS', reason: null }
}

/**
 * Brings a queued transaction to its final state: books or releases its money and enqueues the callback. Does
 * nothing to one that is final already.
 * @returns the jobs that deliver the callback
 */
export function settle(
  tx: Tx,
  id: number,
  status: 'SUCCESS' | 'FAILED',
  reason: Reason | null,
): readonly number[] {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED') return []
  const final: TransactionRow = {
    ...row,
    status,
    reason,
    provider_reference: status === 'SUCCESS' ? receiptOf(tx.random, row, tx.now) : '',
    settled_at: tx.now,
  }
  if (status === 'SUCCESS') {
    complete(tx, final)
  } else {
    release(tx, final)
    returnAllowance(tx, row)
  }
  tx.rows.put('transactions', final)
  if (row.checkout_opened_at !== undefined || row.is_offline)
    for (const job of tx.rows.find('jobs', 'expire', id)) tx.rows.delete('jobs', job.id)
  for (const { after, status: then } of row.plan?.later ?? [])
    addJob(tx, after, {
      kind: 'later',
      transaction_id: id,
      status: then === 'success' ? 'SUCCESS' : 'REVERSED',
    })
  const callbacks = enqueueCallback(tx, final)
  foldOld(tx, id)
  return callbacks
}

/** Whether a look-up of its status brings the transaction on. */
export const waitsForPolls = ({ status, plan, checkout_opened_at }: TransactionRow): boolean =>
  status === 'QUEUED' && plan?.settle?.after_polls !== undefined && checkout_opened_at === undefined

/** Counts a look-up of the status; at the one that the plan names, the transaction is settled. */
export function countPoll(tx: Tx, { id }: TransactionRow): TransactionRow {
  const row = tx.rows.get('transactions', id)!
  if (!waitsForPolls(row)) return row
  const polls = (row.polls ?? 0) + 1
  tx.rows.put('transactions', { ...row, polls })
  if (polls < row.plan!.settle!.after_polls!) return { ...row, polls }
  const { status, reason } = endOf(row)
  settle(tx, id, status, reason)
  return tx.rows.get('transactions', id)!
}

/**
 * A transaction of a Team the caller sees, by any identifier the service returned for it or by the caller's own
 * reference; the newest wins.
 * @param field what the request calls it
 * @throws ServiceError 404
 */
export function findTransaction(
  look: Look,
  caller: Caller,
  identifier: string,
  field = 'transaction',
): TransactionRow {
  for (let offset = 0; ; offset += LOOKED_AT) {
    const rows = look.rows.newest('transactions', 'identifier', identifier, {
      offset,
      limit: LOOKED_AT,
    })
    for (const row of rows) if (membershipIn(look, caller, row.account_id)) return row
    if (rows.length < LOOKED_AT) throw transactionNotFound(look, field, identifier)
  }
}

/** How many transactions with the same reference are read at once; the newest is nearly always the right one. */
const LOOKED_AT = 20
