import type { Look } from '../service/domain/context.ts'
import { waitsUntil } from '../service/domain/payer.ts'
import { messageOf } from '../service/domain/results.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { Transaction, TransactionState } from '../generated/control/schemas.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { traceIdOf } from '../lib/log/trace-context.ts'
import { moneyView } from './money-view.ts'

/** How far the last callback of a transaction is. */
export function callbackStateOf({ rows }: Look, { id }: TransactionRow): Transaction['callback_state'] {
  const [last] = rows.newest('callbacks', 'transaction', id, { offset: 0, limit: 1 })
  return last?.state ?? 'none'
}

/** A transaction as lists show it. */
export function transactionView(look: Look, row: TransactionRow): Transaction {
  const { currency, created_at, settled_at } = row
  const waits = waitsUntil(row)
  return {
    id: row.id,
    reference: row.reference,
    checkout_request_id: row.checkout_request_id,
    external_reference: row.external_reference,
    provider_reference: row.provider_reference,
    operation: row.operation,
    direction: row.direction,
    rail: row.rail,
    status: row.status,
    reason: row.reason,
    message: messageOf(row),
    account_id: row.account_id,
    channel_id: row.channel_id,
    is_offline: row.is_offline,
    amount: moneyView(row.amount, currency),
    cost: moneyView(row.cost, currency),
    amount_to_save: moneyView(row.amount_to_save, currency),
    country: row.country,
    provider: row.provider,
    party: row.party,
    scenario: row.scenario ?? null,
    ...(row.trace && { trace_id: traceIdOf(row.trace) }),
    callback_url: row.callback_url,
    callback_state: callbackStateOf(look, row),
    redirect_url: row.redirect_url,
    created_at: exactTime(created_at),
    settled_at: settled_at === null ? null : exactTime(settled_at),
    waits_until: waits === undefined ? null : exactTime(waits),
    duration_ms: settled_at === null ? null : settled_at - created_at,
  }
}

/** Where a transaction stood, oldest first. */
export function statesOf(row: TransactionRow): TransactionState[] {
  const { created_at, settled_at, status, reason, history = [] } = row
  const states: TransactionState[] = [
    { at: exactTime(created_at), status: 'QUEUED', reason: null, refused: null },
  ]
  for (const { at, refused = null, ...past } of history)
    states.push({ at: exactTime(at), status: past.status, reason: past.reason, refused })
  if (settled_at !== null) states.push({ at: exactTime(settled_at), status, reason, refused: null })
  return states
}
