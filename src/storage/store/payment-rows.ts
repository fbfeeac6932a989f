/** The rows of payments: transactions, the ledger, jobs and callbacks. See `rows.ts` for what all rows have in common. */
import * as z from 'zod'
import type { Complete } from '../../lib/complete.ts'
import { FASTEST_PACE, SLOWEST_PACE } from '../../lib/text/duration.ts'
import { lazy } from '../../lib/lazy.ts'
import type { Plan, RetryPlan } from '../../service/vocabulary/outcome.ts'
import {
  callbackFaults,
  callbackMethods,
  callbackShapes,
  directions,
  MOST_PADDING,
  operations,
  retryProfiles,
  statementFaults,
} from '../../service/vocabulary/terms.ts'
import { railNames } from '../../service/vocabulary/rails.ts'
import {
  after,
  at,
  body,
  code,
  count,
  country,
  failure,
  flag,
  headers,
  id,
  money,
  note,
  reason,
  type RowOf,
  text,
  url,
  wallAt,
} from './row-fields.ts'
import { kycStatus } from './rows.ts'

const status = lazy(() => z.enum(['QUEUED', 'SUCCESS', 'FAILED', 'REVERSED']))
const shape = lazy(() => z.enum(callbackShapes))
const fault = lazy(() => z.enum(callbackFaults))
const method = lazy(() => z.enum(callbackMethods))
const padding = lazy(() => z.int().min(1).max(MOST_PADDING))
const fields = lazy(() => z.record(text(), z.unknown()))
const retry = lazy((): z.ZodType<RetryPlan> =>
  z.object({
    profile: z.enum(retryProfiles).optional(),
    speed: z.number().min(SLOWEST_PACE).max(FASTEST_PACE).optional(),
  }),
)
/** Both parts are sent as headers. */
const trace = lazy(() =>
  z.object({
    traceparent: z.string().regex(/^00-[\da-f]{32}-[\da-f]{16}-0[0-3]$/),
    tracestate: z
      .string()
      .regex(/^[\x20-\x7e]{1,512}$/)
      .optional(),
  }),
)
const plan = lazy((): z.ZodType<Plan> =>
  z.object({
    settle: z
      .object({
        status: z.enum(['success', 'failed']).optional(),
        reason: reason().optional(),
        after: after().optional(),
        after_polls: z.int().min(1).optional(),
        never: flag().optional(),
      })
      .optional(),
    later: z.array(z.object({ after: after(), status: z.enum(['success', 'reversed']) })).optional(),
    callback: z
      .object({
        after: after().optional(),
        times: z.int().min(1).max(100).optional(),
        first: flag().optional(),
        drop: flag().optional(),
        out_of_order: flag().optional(),
        shape: shape().optional(),
        fault: fault().optional(),
        together: flag().optional(),
        set: fields().optional(),
        method: method().optional(),
        content_type: text().optional(),
        padding: padding().optional(),
        retry: retry().optional(),
      })
      .optional(),
    look_up: z
      .object({
        status: z.enum(['queued', 'success', 'failed', 'reversed']).optional(),
        reason: reason().optional(),
        set: fields().optional(),
      })
      .optional(),
    statement: z.enum(statementFaults).optional(),
  }),
)

/** How many cards a payer may try for one payment. */
export const MOST_CARDS = 3

/** A card that was typed on a payment's page. Its number and its security code are kept nowhere. */
const card = lazy(() =>
  z.object({
    at: at(),
    brand: code(),
    last4: z.string().regex(/^\d{4}$/),
    /** `challenged`: its bank asks the payer by 3-D Secure; `abandoned`: another card was typed instead of an answer. */
    outcome: z.enum(['approved', 'declined', 'challenged', 'abandoned']),
    /** Why it was declined, or will be once a challenge is passed; null otherwise. */
    reason: reason().nullable(),
  }),
)

/** A state that a transaction had, or was to have. */
const pastState = lazy(() =>
  z.object({
    at: at(),
    status: status(),
    reason: reason().nullable(),
    /** Why it did not reach the state; absent if it did. */
    refused: body().optional(),
  }),
)

export const transactionRow = lazy(() =>
  z.object({
    id: id(),
    operation: z.enum(operations),
    direction: z.enum(directions),
    rail: z.enum(railNames),
    status: status(),
    /** Why it failed; null unless FAILED. */
    reason: reason().nullable(),
    account_id: id(),
    /** The external channel a collection settles into; null when it settles into the Team's wallet. */
    channel_id: id().nullable(),
    is_offline: flag(),
    amount: money(),
    cost: money(),
    /** The part of a payout booked to savings. */
    amount_to_save: money(),
    currency: code(),
    country: country(),
    provider: text(),
    /** The phone or account number that pays or is paid, normalised. */
    party: text(),
    /** The reference the service returned (`reference` or `merchant_reference`). */
    reference: text(),
    checkout_request_id: text(),
    /** The caller's own reference; empty when none was sent. */
    external_reference: text(),
    /** The mobile-money or bank receipt; empty until SUCCESS. */
    provider_reference: text(),
    callback_url: url(),
    redirect_url: url(),
    /** What a scenario or the caller decided; null for the default. */
    plan: plan().nullable(),
    /** The scenario that decided it; absent when none did. */
    scenario: text().optional(),
    /** The trace that its request belongs to, if any. */
    trace: trace().optional(),
    /** How often its status was looked up while the plan waits for that. */
    polls: count().optional(),
    created_at: at(),
    /** When a payer first opened its page. Nothing settles it automatically from then on. */
    checkout_opened_at: at().optional(),
    /** When that page stops waiting for the payer. */
    checkout_expires_at: at().optional(),
    /** The cards that its payer has tried, oldest first. */
    cards: z.array(card()).max(MOST_CARDS).optional(),
    /** Until when its payer has to answer, if it is left to the payer; absent if it settles automatically. */
    payer_due_at: at().optional(),
    /** When a payer answered its prompt by hand. */
    answered_at: at().optional(),
    /** The phone that paid an offline collection, if it is not the party's. */
    paid_by: text().optional(),
    /** When it left QUEUED; null while it is queued. */
    settled_at: at().nullable(),
    /** It still had jobs when it was to be archived; it is kept as if it had ended then. Absent once it changes again. */
    kept_from: at().optional(),
    /** Its states between QUEUED and today's, and changes that the ledger did not allow; in order. */
    history: z.array(pastState()).optional(),
  }),
)
export type TransactionRow = RowOf<typeof transactionRow>
export type CardAttempt = RowOf<typeof card>
export type PastState = RowOf<typeof pastState>

/** The fields that are decided when a transaction is accepted; the rest follows from its request. */
type Made = Pick<TransactionRow, 'id' | 'reference' | 'checkout_request_id' | 'plan' | 'created_at'>
/** The fields that every transaction begins with alike. */
type Initial = 'status' | 'reason' | 'provider_reference' | 'settled_at'
type Absent = NonNullable<
  { [F in keyof TransactionRow]: undefined extends TransactionRow[F] ? F : never }[keyof TransactionRow]
>

/** A transaction that the rules have let through, before it has ids and a state. */
export type Draft = Omit<TransactionRow, keyof Made | Initial | Absent>

/**
 * Returns a queued transaction. Field by field: V8 spreads an object into another forty times slower, and the row takes more room. None is
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

/** A row of `GET /api/v2/transactions`: a booking to a wallet of a Team while the API's older generation was on. */
export const accountTransactionRow = lazy(() =>
  z.object({
    id: id(),
    account_id: id(),
    wallet: z.enum(['wallet', 'service_wallet']),
    transaction_type: z.enum(['wallet_top_up', 'inbound_payment', 'outbound_payment', 'service_charge']),
    /** Null for a top-up that was no transaction. */
    transaction_id: id().nullable(),
    currency: code(),
    /** Below zero if it was taken back. */
    amount: money(),
    /** What was available after it. */
    wallet_balance: money(),
    created_at: at(),
  }),
)
export type AccountTransactionRow = RowOf<typeof accountTransactionRow>

/** One balanced entry of the ledger: the amounts of its lines sum to zero. */
export const postingRow = lazy(() =>
  z.object({
    id: id(),
    at: at(),
    kind: text(),
    currency: code(),
    /** The transaction's id, or null for an entry that belongs to none (an opening balance). */
    transaction_id: id().nullable(),
    /** Account and amount of each line, one after another: objects took a quarter of the room of a settled transaction. */
    lines: z
      .array(z.union([text(), money()]))
      .refine(arePairs, 'must have an account and an amount for each line'),
  }),
)
export type PostingRow = RowOf<typeof postingRow>

const arePairs = (values: readonly (string | number)[]) =>
  values.length % 2 === 0 &&
  values.every((value, index) => typeof value === (index % 2 === 0 ? 'string' : 'number'))

/** The running sum of an account's lines, written in the change that posts them. */
export const balanceRow = lazy(() => z.object({ account: text(), currency: code(), amount: money() }))
export type BalanceRow = RowOf<typeof balanceRow>

/** What a Team has moved in one direction and currency on the last day that it did, for the daily limit. */
export const usageRow = lazy(() =>
  z.object({
    /** `{account_id}:{direction}:{currency}` */
    id: text(),
    /** Days since the epoch, UTC. */
    day: count(),
    amount: money(),
  }),
)

const task = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('settle'),
      transaction_id: id(),
      status: z.enum(['SUCCESS', 'FAILED']),
      reason: reason().nullable(),
    }),
    z.object({
      kind: z.literal('review'),
      kyc_id: id(),
      revision: count(),
      status: kycStatus(),
      reasons: z.array(note()).optional(),
    }),
    /** An open page stops waiting for its payer. */
    z.object({ kind: z.literal('expire'), transaction_id: id() }),
    /** A payment that was left to its payer stops waiting. */
    z.object({ kind: z.literal('unanswered'), transaction_id: id() }),
    /** A transaction changes after it was final. */
    z.object({
      kind: z.literal('later'),
      transaction_id: id(),
      status: z.enum(['SUCCESS', 'REVERSED']),
    }),
    /** An offline collection that was not paid fails. */
    z.object({ kind: z.literal('expire_offline'), transaction_id: id() }),
    z.object({ kind: z.literal('channel'), channel_id: id(), is_active: flag() }),
    /** One attempt to deliver a callback, and those that follow when it fails. */
    z.object({
      kind: z.literal('callback'),
      callback_id: id(),
      /** How many attempts of this sending failed before. */
      failed: count().optional(),
      /** How many copies leave at one moment; one if omitted. */
      copies: z.int().min(1).max(100).optional(),
    }),
  ]),
)
export type JobTask = RowOf<typeof task>

/** A job that is due at a time of the world's clock; written in the change that makes it true. */
export const jobRow = lazy(() =>
  z.object({ id: id(), due_at: at(), task: task(), failed: failure().optional() }),
)
export type JobRow = RowOf<typeof jobRow>

/** A callback, sent or to be sent. Its body is fixed when it is created, so every attempt sends the same bytes. */
export const callbackRow = lazy(() =>
  z.object({
    id: id(),
    transaction_id: id(),
    url: url(),
    shape: shape(),
    body: body(),
    /** The fault that a scenario asked for. */
    fault: fault().nullable(),
    method: method().optional(),
    content_type: text().optional(),
    /** Spaces sent behind the body, bytes. */
    padding: padding().optional(),
    /** Later ones of the transaction with this mark go before it. */
    out_of_order: flag().optional(),
    /** It was fired by hand: it has no place in the order of results. */
    fired: flag().optional(),
    /** How it is retried, if not by the world's settings. */
    retry: retry().optional(),
    /** The trace that it belongs to, if any. */
    trace: trace().optional(),
    state: z.enum(['pending', 'delivered', 'failed']),
    /** The id of the attempt that ended it; those that ended first are forgotten first. */
    ended_by: id().optional(),
    created_at: at(),
  }),
)
export type CallbackRow = RowOf<typeof callbackRow>

/** One attempt to deliver a callback, with its request and the response. */
export const attemptRow = lazy(() =>
  z.object({
    id: id(),
    callback_id: id(),
    at: at(),
    /** The date in signatures. */
    wall_at: wallAt(),
    duration_ms: z.number().min(0),
    /** The address that was called, after rewriting. */
    url: body(),
    request_headers: headers(),
    /** The body that was sent; null if it was the callback's own. */
    request_body: body().nullable(),
    /** The receiver's HTTP status; null without a response. */
    status: z.int().nullable(),
    answer_headers: headers(),
    /** The first 4 KiB. */
    answer_body: z.string().max(4_096),
    /** Why there was no response; empty otherwise. */
    error: body(),
    /** What to change if it failed; empty otherwise. */
    advice: body(),
    /** When the next attempt is due on the world's clock; null when there is none. */
    next_at: at().nullable(),
  }),
)
export type AttemptRow = RowOf<typeof attemptRow>
