import type { Complete } from '../../lib/objects.ts'
import type { Draft, TransactionRow } from '../../storage/store/payment-rows.ts'
import { membershipIn } from './access.ts'
import { enqueueCallback } from './callbacks.ts'
import { allRead } from './errors.ts'
import { exchangeFor } from './exchange.ts'
import { complete, release, reserve, returnAllowance } from './wallets.ts'
import { archiveOld, transactionNotFound } from './archive.ts'
import { stopWaiting, holdForPayer, isHeld, isLeftToPayer, declineReason } from './prompts.ts'
import { realisticPlan, drawnTime, observedTime, onBankingDay } from './realism/field.ts'
import { addJob, type Caller, isRealistic, type Look, next, type Tx } from './context.ts'
import { makeOlderNames, makeReference, receipted, receiptOf } from './references.ts'
import type { Plan } from '../vocabulary/outcome.ts'
import type { Reason } from '../vocabulary/rails.ts'
import { DEFAULT_SETTLE_AFTER } from '../vocabulary/settle-after.ts'
import { beginTrace, type Trace } from '../../lib/text/headers.ts'

/**
 * Accepts a transaction: assigns its ids, reserves its money and enqueues its settlement.
 * @param network_name - if the request names it
 * @throws {ServiceError} `insufficient balance`
 */
export function accept(tx: Tx, draft: Draft, network_name?: string): TransactionRow {
  const id = next(tx, 'transaction')
  const planned = tx.decision?.outcome.plan ?? null
  const { reference, checkout_request_id } = namesOf(tx, draft, id)
  // Field by field: in V8 a spread is forty times slower and the row takes more memory. `Complete` requires every field of the draft.
  const made: TransactionRow & Complete<Draft> = {
    id,
    status: 'QUEUED',
    reason: null,
    reference,
    checkout_request_id,
    provider_reference: '',
    plan: isRealistic(tx) ? realisticPlan(tx, draft, id, network_name, planned) : planned,
    created_at: tx.now,
    settled_at: null,
    operation: draft.operation,
    direction: draft.direction,
    rail: draft.rail,
    account_id: draft.account_id,
    channel_id: draft.channel_id,
    is_offline: draft.is_offline,
    amount: draft.amount,
    cost: draft.cost,
    amount_to_save: draft.amount_to_save,
    currency: draft.currency,
    country: draft.country,
    provider: draft.provider,
    network: network_name,
    party: draft.party,
    external_reference: draft.external_reference,
    callback_url: draft.callback_url,
    redirect_url: draft.redirect_url,
  }
  const scenario = tx.decision?.scenario
  const trace = traceOf(tx, id)
  const home = tx.settings.realism === 'field' ? tx.rows.get('teams', draft.account_id)?.currency : undefined
  const exchange = home && home !== draft.currency ? exchangeFor(tx, draft, home) : undefined
  const row =
    scenario || trace || exchange
      ? { ...made, ...(scenario && { scenario }), ...(trace && { trace }), ...(exchange && { exchange }) }
      : made
  reserve(tx, row)
  tx.rows.insert('transactions', row)
  enqueueSettlement(tx, row)
  return row
}

/** Returns the trace of the request, or a new one if the world's settings ask for it. */
function traceOf({ trace, settings, random, now }: Tx, id: number): Trace | undefined {
  const begins = settings.trace_context === 'always'
  return trace?.() ?? (begins ? beginTrace(`${now} ${random.uuid('trace', id)}`) : undefined)
}

/** Returns the service's references, in the form of the current or the previous API generation. */
function namesOf(tx: Tx, { operation, direction }: Draft, id: number) {
  const collects = operation === 'createCollection'
  if (operation === 'topUpServiceWallet' || (collects && tx.settings.generation === 'previous'))
    return makeOlderNames(tx.random, id, tx.now)
  const observed = tx.settings.observed?.references
  const form = (observed?.direction ?? direction) === direction ? observed?.form : undefined
  return {
    reference: makeReference(tx.random, id, tx.now, direction, form),
    checkout_request_id: collects ? String(next(tx, 'checkout')) : tx.random.uuid('checkout', id),
  }
}

/** How long an offline collection is pending (assumed: the specification names no end). */
const OFFLINE_EXPIRES_AFTER = 24 * 3_600_000

/** Enqueues the planned settlement; the default is success after the usual time. */
function enqueueSettlement(tx: Tx, row: TransactionRow): void {
  // `settle` performs `later`, `callbacks.ts` `status_query`, and `statements.ts` `statement`. A word that nothing performs
  // does not compile.
  allRead<Exclude<keyof Plan, 'settle' | 'callback' | 'later' | 'status_query' | 'statement'>>()
  const end = row.plan?.settle
  const callback = row.plan?.callback
  const { status, reason } = endOf(row)
  if (callback?.first) {
    tx.decision?.before_answer.push(...settle(tx, row.id, status, reason))
    return
  }
  // Offline collections wait for a payment at the paybill.
  if (row.is_offline && !end) {
    addJob(tx, OFFLINE_EXPIRES_AFTER, { kind: 'expire_offline', transaction_id: row.id })
    return
  }
  if (end?.never) return
  if (isLeftToPayer(tx, row)) return holdForPayer(tx, row)
  if (end?.after_status_queries !== undefined) return
  const after = settlesAfter(tx, row)
  addJob(tx, after, { kind: 'settle', transaction_id: row.id, status, reason })
}

const FIELD_TIMES = { kind: 'realistic' } as const

/** Returns how long a transaction stays queued before it settles automatically, milliseconds. */
export function settlesAfter({ settings, random }: Look, row: TransactionRow): number {
  const settle_after = settings.realism === 'field' ? FIELD_TIMES : settings.settle_after
  const after = row.plan?.settle?.after
  if (after !== undefined) return after
  const observed = settings.observed?.operations?.[row.operation]?.settle_after
  // Another setting than the default takes precedence, such as that of a fast test.
  if (observed && settings.settle_after === DEFAULT_SETTLE_AFTER) return observedTime(observed, row, random)
  return typeof settle_after === 'number' ? settle_after : drawnTime(settle_after, row, random)
}

/**
 * Ends a transaction at its time. If its payer decides, it waits for the payer until the prompt expires.
 * @returns the result, in a few words
 */
export function settleWhenDue(tx: Tx, id: number, status: Final, reason: Reason | null): string {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED') return status
  if (!isHeld(row) && isLeftToPayer(tx, row)) {
    holdForPayer(tx, row)
    return WAITS
  }
  return isHeld(row) ? WAITS : endAs(tx, row, { status, reason })
}

const WAITS = 'waits for the payer'

/** Ends a queued transaction with its decided outcome, unless the phone prevents a success. */
export const endAsDecided = (tx: Tx, row: TransactionRow): string => endAs(tx, row, endOf(row))

function endAs(tx: Tx, row: TransactionRow, { status, reason }: End): string {
  const why = status === 'SUCCESS' ? declineReason(tx, row) : null
  const ended = why === null ? status : 'FAILED'
  settle(tx, row.id, ended, why ?? reason)
  return ended
}

/** Fails a transaction for an unplanned reason, which also cancels what was planned for after its end. */
export function failInstead(tx: Tx, row: TransactionRow, reason: Reason): void {
  if (row.status === 'QUEUED' && row.plan?.later) {
    const { later: _, ...plan } = row.plan
    tx.rows.put('transactions', { ...row, plan })
  }
  settle(tx, row.id, 'FAILED', reason)
}

type Final = 'SUCCESS' | 'FAILED'
interface End {
  readonly status: Final
  readonly reason: Reason | null
}

/** Returns the planned final state. */
export function endOf({ plan }: TransactionRow): End {
  const { status, reason } = plan?.settle ?? {}
  return status === 'failed'
    ? { status: 'FAILED', reason: reason ?? 'operator_error' }
    : { status: 'SUCCESS', reason: null }
}

/**
 * Moves a queued transaction to its final state: books or releases its money and enqueues the callback. Does nothing if
 * it is final.
 * @returns the jobs that deliver the callback
 */
export function settle(tx: Tx, id: number, status: Final, reason: Reason | null): readonly number[] {
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
  if (isHeld(row) || row.is_offline) stopWaiting(tx, row)
  for (const { after, next_business_day, status: then } of row.plan?.later ?? [])
    addJob(tx, next_business_day ? onBankingDay(tx.now + after, row.country) - tx.now : after, {
      kind: 'later',
      transaction_id: id,
      status: then === 'success' ? 'SUCCESS' : 'REVERSED',
    })
  const callbacks = enqueueCallback(tx, final)
  archiveOld(tx, id)
  return callbacks
}

/** Whether status queries advance the transaction. */
export const waitsForPolls = (row: TransactionRow): boolean =>
  row.status === 'QUEUED' && row.plan?.settle?.after_status_queries !== undefined && !isHeld(row)

/** Counts a status query; the planned one settles the transaction. */
export function countPoll(tx: Tx, { id }: TransactionRow): TransactionRow {
  const row = tx.rows.get('transactions', id)!
  if (!waitsForPolls(row)) return row
  const polls = (row.polls ?? 0) + 1
  tx.rows.put('transactions', { ...row, polls })
  if (polls < row.plan!.settle!.after_status_queries!) return { ...row, polls }
  endAsDecided(tx, row)
  return tx.rows.get('transactions', id)!
}

/** How many transactions with the same reference are read at once; the newest is usually the right one. */
const READ_AT_ONCE = 20

/**
 * Returns the newest transaction with an identifier of the service or the caller, or with a receipt.
 * @param sees - whether the caller can see a Team
 */
export function findNewest(
  look: Look,
  identifier: string,
  sees: (account_id: number) => boolean,
): TransactionRow | undefined {
  const limit = READ_AT_ONCE
  for (let offset = 0; ; offset += limit) {
    const rows = look.rows.newest('transactions', 'identifier', identifier, { offset, limit })
    const found = rows.find(({ account_id }) => sees(account_id))
    if (found) return found
    if (rows.length < limit) break
  }
  const row = receipted(look, identifier)
  return row && sees(row.account_id) ? row : undefined
}

/**
 * Returns such a transaction of a Team in which the caller has a role.
 * @param field - its name in the request
 * @throws {ServiceError} 404
 */
export function findTransaction(
  look: Look,
  caller: Caller,
  identifier: string,
  field = 'transaction',
): TransactionRow {
  const found = findNewest(look, identifier, (id) => membershipIn(look, caller, id) !== undefined)
  if (found) return found
  throw transactionNotFound(look, field, identifier)
}
