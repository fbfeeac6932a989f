/** The rows of payments: transactions, the ledger, jobs and callbacks. `rows.ts` explains what all rows have in common. */
import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import { plan, retryPlan } from '../../service/vocabulary/outcome.ts'
import {
  callbackFaults,
  callbackMethods,
  callbackShapes,
  directions,
  MOST_PADDING,
  operations,
} from '../../service/vocabulary/terms.ts'
import { railNames } from '../../service/vocabulary/rails.ts'
import * as field from './row-fields.ts'
import type { RowOf } from './row-fields.ts'
import { kycStatus } from './rows.ts'

const status = lazy(() => z.enum(['QUEUED', 'SUCCESS', 'FAILED', 'REVERSED']))
const shape = lazy(() => z.enum(callbackShapes))
const fault = lazy(() => z.enum(callbackFaults))
const method = lazy(() => z.enum(callbackMethods))
const padding = lazy(() => z.int().min(1).max(MOST_PADDING))
/** Sent as headers. */
const trace = field.object(() => ({
  traceparent: z.string().regex(/^00-[\da-f]{32}-[\da-f]{16}-0[0-3]$/),
  tracestate: z
    .string()
    .regex(/^[\x20-\x7e]{1,512}$/)
    .optional(),
}))
/** Maximum number of cards that a payer may try for one payment. */
export const MOST_CARDS = 3

/** A card that a payer entered. Its number and security code are not stored. */
const card = field.object(() => ({
  at: field.at(),
  brand: field.code(),
  last4: z.string().regex(/^\d{4}$/),
  /** `challenged`: by 3-D Secure; `abandoned`: the payer entered another card instead of completing the challenge. */
  outcome: z.enum(['approved', 'declined', 'challenged', 'abandoned']),
  /** Why it was declined, or will be after the challenge; null otherwise. */
  reason: field.reason().nullable(),
  /** How often a wrong code was entered for 3-D Secure. */
  wrong_codes: field.count().optional(),
}))

/** A past state of a transaction, or a state that it failed to reach. */
const pastState = field.object(() => ({
  at: field.at(),
  status: status(),
  reason: field.reason().nullable(),
  rejection_reason: field.body().optional(),
}))

export const transactionRow = field.object(() => ({
  id: field.id(),
  operation: z.enum(operations),
  direction: z.enum(directions),
  rail: z.enum(railNames),
  status: status(),
  /** Null unless FAILED. */
  reason: field.reason().nullable(),
  account_id: field.id(),
  /** The external channel that a collection settles into; null for the Team's wallet. */
  channel_id: field.id().nullable(),
  is_offline: field.flag(),
  amount: field.money(),
  cost: field.money(),
  /** The part of a payout booked to savings. */
  amount_to_save: field.money(),
  currency: field.code(),
  country: field.country(),
  provider: field.text(),
  /** The network that the request names; undefined if it names none. */
  network: field.text().optional(),
  /** The normalised phone or account number that pays or is paid. */
  party: field.text(),
  /** The reference the service returned (`reference` or `merchant_reference`). */
  reference: field.text(),
  checkout_request_id: field.text(),
  /** The caller's own reference; empty when none was sent. */
  external_reference: field.text(),
  /** The mobile-money or bank receipt; empty until SUCCESS. */
  provider_reference: field.text(),
  callback_url: field.url(),
  redirect_url: field.url(),
  /** From a scenario or the caller; null for the default. */
  plan: plan().nullable(),
  scenario: field.text().optional(),
  trace: trace().optional(),
  /** Number of status queries while the plan waits for them. */
  polls: field.count().optional(),
  created_at: field.at(),
  /** When its payment page was first opened. It no longer settles automatically. */
  checkout_opened_at: field.at().optional(),
  /** When the payment page expires. */
  checkout_expires_at: field.at().optional(),
  cards: z.array(card()).max(MOST_CARDS).optional(),
  /** Set if it is converted, which `realism: field` does. */
  exchange: field.exchange().optional(),
  /** The payer's deadline; absent if it settles automatically. */
  payer_due_at: field.at().optional(),
  /** When a payer responded to its prompt. */
  responded_at: field.at().optional(),
  paid_by: field.text().optional(),
  /** When it left QUEUED; null while it is queued. */
  settled_at: field.at().nullable(),
  /** When it could not be archived because it still had jobs; removed by its next change. */
  kept_from: field.at().optional(),
  /** States between QUEUED and the current one, and changes that the ledger rejected; in order. */
  history: z.array(pastState()).optional(),
}))
export type TransactionRow = RowOf<typeof transactionRow>
export type CardAttempt = RowOf<typeof card>
export type PastState = RowOf<typeof pastState>

type Assigned = Pick<
  TransactionRow,
  'id' | 'reference' | 'checkout_request_id' | 'network' | 'plan' | 'created_at'
>
type Initial = 'status' | 'reason' | 'provider_reference' | 'settled_at'
type Absent = NonNullable<
  { [F in keyof TransactionRow]: undefined extends TransactionRow[F] ? F : never }[keyof TransactionRow]
>

/** A valid transaction before it has ids and a state. */
export type Draft = Omit<TransactionRow, keyof Assigned | Initial | Absent>

/** A row of `GET /api/v2/transactions`: a booking to a Team's wallet while the previous API generation was on. */
export const accountTransactionRow = field.object(() => ({
  id: field.id(),
  account_id: field.id(),
  wallet: z.enum(['wallet', 'service_wallet']),
  transaction_type: z.enum(['wallet_top_up', 'inbound_payment', 'outbound_payment', 'service_charge']),
  /** Null for a top-up without a transaction. */
  transaction_id: field.id().nullable(),
  currency: field.code(),
  /** Negative for a reversal. */
  amount: field.money(),
  wallet_balance: field.money(),
  created_at: field.at(),
}))
export type AccountTransactionRow = RowOf<typeof accountTransactionRow>

/** One balanced entry of the ledger: the amounts of its lines sum to zero. */
export const postingRow = field.object(() => ({
  id: field.id(),
  at: field.at(),
  kind: field.text(),
  currency: field.code(),
  /** Null for an entry without one, such as an opening balance. */
  transaction_id: field.id().nullable(),
  /** Alternating account and amount (see `PostingLine`). */
  lines: z
    .array(z.union([field.text(), field.money()]))
    .refine(arePairs, 'must have an account and an amount for each line'),
}))
export type PostingRow = RowOf<typeof postingRow>

const arePairs = (values: readonly (string | number)[]) =>
  values.length % 2 === 0 &&
  values.every((value, index) => typeof value === (index % 2 === 0 ? 'string' : 'number'))

/** The running balance of an account, updated by each posting. */
export const balanceRow = lazy(() =>
  z.object({ account: field.text(), currency: field.code(), amount: field.money() }),
)
export type BalanceRow = RowOf<typeof balanceRow>

/** The total of a Team in one direction and currency on its last active day, for the daily limit. */
export const usageRow = field.object(() => ({
  /** `{account_id}:{direction}:{currency}` */
  id: field.text(),
  /** Days since the epoch, UTC. */
  day: field.count(),
  amount: field.money(),
}))

const task = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('settle'),
      transaction_id: field.id(),
      status: z.enum(['SUCCESS', 'FAILED']),
      reason: field.reason().nullable(),
    }),
    z.object({
      kind: z.literal('review'),
      kyc_id: field.id(),
      revision: field.count(),
      status: kycStatus(),
      reasons: z.array(field.note()).optional(),
    }),
    /** Closes an open payment page. */
    z.object({ kind: z.literal('expire'), transaction_id: field.id() }),
    z.object({ kind: z.literal('unanswered'), transaction_id: field.id() }),
    z.object({
      kind: z.literal('later'),
      transaction_id: field.id(),
      status: z.enum(['SUCCESS', 'REVERSED']),
    }),
    z.object({ kind: z.literal('expire_offline'), transaction_id: field.id() }),
    z.object({ kind: z.literal('channel'), channel_id: field.id(), is_active: field.flag() }),
    /** An entry of an incident that happens once. A part of it has its transactions, and the place of the first one. */
    z.object({
      kind: z.literal('incident'),
      name: field.text(),
      entry: field.count(),
      ids: z.array(field.id()).max(1_000).optional(),
      place: field.count().optional(),
    }),
    z.object({
      kind: z.literal('callback'),
      callback_id: field.id(),
      failed: field.count().optional(),
      /** Number of copies sent at the same time; one if omitted. */
      copies: z.int().min(1).max(100).optional(),
    }),
  ]),
)
export type JobTask = RowOf<typeof task>

export const jobRow = lazy(() =>
  z.object({ id: field.id(), due_at: field.at(), task: task(), failed: field.failure().optional() }),
)
export type JobRow = RowOf<typeof jobRow>

/** A callback. Its body is generated once, so every attempt sends the same bytes. */
export const callbackRow = field.object(() => ({
  id: field.id(),
  transaction_id: field.id(),
  url: field.url(),
  shape: shape(),
  body: field.body(),
  fault: fault().nullable(),
  method: method().optional(),
  content_type: field.text().optional(),
  padding: padding().optional(),
  /** Later callbacks of the transaction that are also marked are sent first. */
  out_of_order: field.flag().optional(),
  /** Sent by hand: it has no place in the order of results. */
  fired: field.flag().optional(),
  /** Overrides the retries in the world's settings. */
  retry: retryPlan().optional(),
  trace: trace().optional(),
  state: z.enum(['pending', 'delivered', 'failed']),
  /** The id of the last attempt; determines which callbacks are deleted first. */
  ended_by: field.id().optional(),
  created_at: field.at(),
}))
export type CallbackRow = RowOf<typeof callbackRow>

export const attemptRow = field.object(() => ({
  id: field.id(),
  callback_id: field.id(),
  at: field.at(),
  /** The date in signatures. */
  real_at: field.wallAt(),
  duration_ms: z.number().min(0),
  /** The address that was called, after rewriting. */
  url: field.body(),
  request_headers: field.headers(),
  /** Null if it was the callback's own. */
  request_body: field.body().nullable(),
  status: z.int().nullable(),
  answer_headers: field.headers(),
  /** The first 4 KiB. */
  answer_body: z.string().max(4_096),
  /** Why there was no response; empty otherwise. */
  error: field.body(),
  /** What to change if it failed; empty otherwise. */
  advice: field.body(),
  /** When the next attempt is due on the world's clock, or null. */
  next_at: field.at().nullable(),
}))
export type AttemptRow = RowOf<typeof attemptRow>
