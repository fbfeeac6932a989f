/** A transaction as it is kept: its fields, how it is made, and how one that comes from outside is looked at. */
import * as z from 'zod'
import type { Complete } from '../../lib/complete.ts'
import { lazy } from '../../lib/lazy.ts'
import type { Reason } from '../../service/vocabulary/reasons.ts'
import type { Plan } from '../../service/vocabulary/outcome.ts'
import type { Operation } from '../../service/vocabulary/terms.ts'
import type { Trace } from '../../lib/log/trace-context.ts'
import { rowFields } from './row-fields.ts'

export interface TransactionRow {
  readonly id: number
  readonly operation: Operation
  readonly direction: 'payin' | 'payout'
  readonly rail: 'momo' | 'bank' | 'card'
  readonly status: 'QUEUED' | 'SUCCESS' | 'FAILED' | 'REVERSED'
  /** Why it failed; null unless FAILED. */
  readonly reason: Reason | null
  readonly account_id: number
  /** The external channel a collection settles into; null when it settles into the Team's wallet. */
  readonly channel_id: number | null
  readonly is_offline: boolean
  readonly amount: number
  readonly cost: number
  /** The part of a payout booked to savings. */
  readonly amount_to_save: number
  readonly currency: string
  readonly country: string
  readonly provider: string
  /** The phone or account number that pays or is paid, normalised. */
  readonly party: string
  /** The reference the service returned (`reference` or `merchant_reference`). */
  readonly reference: string
  readonly checkout_request_id: string
  /** The caller's own reference; empty when none was sent. */
  readonly external_reference: string
  /** The mobile-money or bank receipt; empty until SUCCESS. */
  readonly provider_reference: string
  readonly callback_url: string
  readonly redirect_url: string
  /** What a scenario or the caller decided; null for the default. */
  readonly plan: Plan | null
  /** The scenario that decided it; absent when none did. */
  readonly scenario?: string | undefined
  /** The trace that its request belongs to; absent where it belongs to none. */
  readonly trace?: Trace | undefined
  /** How often its status was looked up while the plan waits for that. */
  readonly polls?: number | undefined
  readonly created_at: number
  /** When a payer first had its page open; absent while nobody had. Nothing settles it by itself from then on. */
  readonly checkout_opened_at?: number | undefined
  /** When that page stops waiting for the payer. */
  readonly checkout_expires_at?: number | undefined
  /** The cards that its payer has tried, oldest first; few. */
  readonly cards?: readonly CardAttempt[] | undefined
  /** Until when its payer has to answer, where it is left to him; absent where it settles by itself. */
  readonly payer_due_at?: number | undefined
  /** When a payer answered its prompt by hand. */
  readonly answered_at?: number | undefined
  /** The phone that paid an offline collection, where it is not the party's. */
  readonly paid_by?: string | undefined
  /** When it left QUEUED; null while it is queued. */
  readonly settled_at: number | null
  /** It still had jobs when it was to go; it is kept as if it had ended then. Absent once it changes again. */
  readonly kept_from?: number | undefined
  /** What it was after QUEUED and before it changed again, and changes that could not be; in order. */
  readonly history?: readonly PastState[] | undefined
}

/** How many cards a payer may try for one payment. */
export const MOST_CARDS = 3

/** How a card that was typed on a payment's page can stand. */
export const cardOutcomes = ['approved', 'declined', 'challenged', 'abandoned'] as const

/** A card that was typed on a payment's page. Its number and its security code are kept nowhere. */
export interface CardAttempt {
  readonly at: number
  readonly brand: string
  readonly last4: string
  /** `challenged`: its bank asks the payer by 3-D Secure; `abandoned`: another card was typed instead of an answer. */
  readonly outcome: (typeof cardOutcomes)[number]
  /** Why it was declined, or will be once a challenge is passed; null when it was not, or will not be. */
  readonly reason: Reason | null
}

/** A state that a transaction had, or was to have. */
export interface PastState {
  readonly at: number
  readonly status: TransactionRow['status']
  readonly reason: Reason | null
  /** Why it did not come to it; undefined when it did. */
  readonly refused?: string | undefined
}

/** What is decided when a transaction is accepted; the rest follows from its request. */
type Made = Pick<TransactionRow, 'id' | 'reference' | 'checkout_request_id' | 'plan' | 'created_at'>
type Later =
  | 'status'
  | 'reason'
  | 'provider_reference'
  | 'settled_at'
  | 'polls'
  | 'scenario'
  | 'trace'
  | 'checkout_opened_at'
  | 'checkout_expires_at'
  | 'cards'
  | 'payer_due_at'
  | 'answered_at'
  | 'paid_by'
  | 'kept_from'
  | 'history'

/** A transaction that the rules have let through, before it has ids and a state. */
export type Draft = Omit<TransactionRow, keyof Made | Later>

/**
 * A queued transaction. Field by field: V8 spreads an object into another forty times slower, and the row takes more room. None is
 * forgotten: those of the draft are all required here.
 */
export function newTransaction(draft: Draft, made: Made): TransactionRow {
  const row: TransactionRow & Complete<Draft> = {
    id: made.id,
    status: 'QUEUED',
    reason: null,
    reference: made.reference,
    checkout_request_id: made.checkout_request_id,
    provider_reference: '',
    plan: made.plan,
    created_at: made.created_at,
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
    party: draft.party,
    external_reference: draft.external_reference,
    callback_url: draft.callback_url,
    redirect_url: draft.redirect_url,
  }
  return row
}

/** Made when rows are first imported. */
export const transactionShape = lazy(() => {
  const { id, money, count, at, text, code, country, url, body, reason, status, plan, trace } = rowFields()
  const past = z.looseObject({ at, status, reason: reason.nullable(), refused: body.optional() })
  const outcome = z.enum(cardOutcomes)
  const card = z.looseObject({
    at,
    brand: code,
    last4: z.string().regex(/^\d{4}$/),
    outcome,
    reason: reason.nullable(),
  })
  return z.looseObject({
    id,
    operation: z.enum(['createCollection', 'createWithdrawal', 'createGlobalPayment', 'topUpServiceWallet']),
    direction: z.enum(['payin', 'payout']),
    rail: z.enum(['momo', 'bank', 'card']),
    status,
    reason: reason.nullable(),
    account_id: id,
    channel_id: id.nullable(),
    is_offline: z.boolean(),
    amount: money,
    cost: money,
    amount_to_save: money,
    currency: code,
    country,
    provider: text,
    party: text,
    reference: text,
    checkout_request_id: text,
    external_reference: text,
    provider_reference: text,
    callback_url: url,
    redirect_url: url,
    plan: plan.nullable(),
    scenario: text.optional(),
    trace: trace.optional(),
    polls: count.optional(),
    created_at: at,
    checkout_opened_at: at.optional(),
    checkout_expires_at: at.optional(),
    cards: z.array(card).max(MOST_CARDS).optional(),
    payer_due_at: at.optional(),
    answered_at: at.optional(),
    paid_by: text.optional(),
    settled_at: at.nullable(),
    kept_from: at.optional(),
    history: z.array(past).optional(),
  })
})
