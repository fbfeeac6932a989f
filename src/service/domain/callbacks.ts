import type { CallbackRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import { addJob, type Look, next, type Tx } from './context.ts'
import type { FireCallbackRequest } from '../../generated/control/types.ts'
import { invalid, noneLeft } from './errors.ts'
import { mergeDeep } from '../../lib/objects.ts'
import type { CallbackShape, FieldValues } from '../vocabulary/terms.ts'
import type { Complete } from '../../lib/objects.ts'
import type { FlatResult, TransactionStatus } from '../../generated/service/types.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { toMajor } from './money.ts'
import { localKenyan } from './countries/countries.ts'
import { networkOf } from './countries/networks.ts'
import { rails, outcomes, type Reason, reasons, type ResultFacts, wordings } from '../vocabulary/rails.ts'
import { changedBody } from '../vocabulary/observed.ts'
import type { CallbackPlan } from '../vocabulary/outcome.ts'
import { wireTime } from './wire-time.ts'

/**
 * The header with which a sandbox recognizes its own callbacks (RFC 8586). All sandboxes share its value: if two
 * sandboxes called each other, neither would see a value of its own.
 */
export const LOOP_HEADER = 'cdn-loop'
export const LOOP_MARK = 'payments-sandbox'

/** The inbox key that stands for the world that sends the callback. */
export const OWN_KEY = 'own'

/**
 * Returns an inbox URL that is the same for all worlds and reveals no key: callbacks reach the inbox of their own
 * world.
 * @param origin - scheme and authority of the sandbox
 */
export const ownInbox = (origin: string, inbox: string): string =>
  `${origin}/sandbox/inbox/${inbox}?key=${OWN_KEY}`

/**
 * Enqueues the callback with the result of a transaction, as its plan says, if it has a `callback_url` (specification
 * 6.1). A callback sent several times has one job per delivery, or a single job for simultaneous deliveries.
 * @returns the jobs that deliver it
 */
export function enqueueCallback(tx: Tx, row: TransactionRow): readonly number[] {
  const plan = row.plan?.callback ?? {}
  if (row.callback_url === '' || plan.drop) return []
  const { id: callback_id } = addCallback(tx, row, row.callback_url, plan)
  const planned = (plan.after ?? 0) + (plan.out_of_order ? untilOvertaken(row) : 0)
  const after = Math.max(planned, (plan.not_before ?? 0) - tx.now)
  const times = plan.times ?? tx.settings.observed?.operations?.[row.operation]?.callback?.times ?? 1
  if (plan.concurrent) return [addJob(tx, after, { kind: 'callback', callback_id, copies: times })]
  return Array.from({ length: times }, () => addJob(tx, after, { kind: 'callback', callback_id }))
}

/** @param isFired - whether it was triggered manually */
function addCallback(
  tx: Tx,
  row: TransactionRow,
  url: string,
  plan: CallbackPlan,
  isFired = false,
): CallbackRow {
  const { shape = tx.settings.callback_shape, set, fault = null, method, content_type, padding } = plan
  const callback: CallbackRow = {
    id: next(tx, 'callback'),
    transaction_id: row.id,
    url,
    shape,
    body: resultBody(tx, row, shape, set),
    fault,
    ...(isFired && { fired: true }),
    ...(plan.out_of_order && { out_of_order: true }),
    ...(plan.retry && { retry: plan.retry }),
    ...(row.trace && { trace: row.trace }),
    ...(method && { method }),
    ...(content_type && { content_type }),
    ...(padding && { padding }),
    state: 'pending',
    created_at: tx.now,
  }
  tx.rows.insert('callbacks', callback)
  return callback
}

/** Milliseconds between two callbacks that arrive in reverse order. */
const GAP = 1_000

/**
 * Returns the delay after which callbacks of all later results of the transaction have arrived; 0 for the last result.
 */
function untilOvertaken({ plan, status, settled_at, history = [] }: TransactionRow): number {
  const first = history.find((state) => state.rejection_reason === undefined)?.at ?? settled_at ?? 0
  const passed = (settled_at ?? 0) - first
  // Counted rather than compared by time: two results may be planned for the same moment, and one may have been
  // triggered manually.
  const left = (plan?.later ?? []).map(({ after }) => after).toSorted((a, b) => a - b)
  const last = left.slice(history.length).at(-1)
  if (last === undefined || status === 'REVERSED') return 0
  return Math.max(last - passed, 0) + GAP * (left.length - history.length)
}

/**
 * Returns the id of an earlier callback of the transaction that must be delivered or given up first, because an attempt
 * has failed. Callbacks triggered manually neither block nor wait.
 */
export function heldBy({ rows }: Pick<Look, 'rows'>, callback: CallbackRow): number | undefined {
  const { transaction_id, id, fired, out_of_order = false } = callback
  if (fired) return undefined
  let holding: number | undefined
  for (const other of rows.find('callbacks', 'transaction', transaction_id)) {
    // Checks one direction only: two callbacks that block each other would wait forever.
    if ((other.out_of_order ?? false) !== out_of_order || other.state !== 'pending' || other.fired) continue
    if (out_of_order ? other.id <= id : other.id >= id) continue
    const owed = rows.find('jobs', 'callback', other.id)
    if (owed.every(({ failed }) => failed?.abandoned)) continue
    // A newer callback sent out of order may become due after this one if both are late.
    const tried = owed.some(({ failed }) => failed) || rows.find('attempts', 'callback', other.id).length > 0
    if (out_of_order || tried) holding = other.id
  }
  return holding
}

/**
 * Enqueues another callback with the transaction's current state. The transaction does not change.
 * @param requested - with `after` in milliseconds
 * @throws {ServiceError} 400 without an address
 */
export function fireCallback(
  tx: Tx,
  row: TransactionRow,
  requested: Omit<FireCallbackRequest, 'reference' | 'after'> & { readonly after: number },
): CallbackRow {
  const { url = row.callback_url, after, copies, ...plan } = requested
  const { shape, fault, set, method, content_type, padding, ...rest } = plan
  noneLeft(rest)
  if (url === '') throw invalid(`url is required: transaction ${row.reference} has no callback_url`)
  const callback = addCallback(tx, row, url, { shape, fault, set, method, content_type, padding }, true)
  addJob(tx, after, { kind: 'callback', callback_id: callback.id, copies })
  return callback
}

/** Names of flat fields in the nested shape, within `response`. */
const nestedNames: { readonly [field: string]: string } = {
  amount: 'Amount',
  external_reference: 'ExternalReference',
  message: 'ResultDesc',
  provider_reference: 'MpesaReceiptNumber',
  reference: 'TransactionID',
}

/**
 * Overrides fields of a body. Flat names also set the matching nested fields, so that scenarios work for both shapes.
 */
function setFields<Body extends object>(body: Body, shape: CallbackShape, set: FieldValues): Body {
  if (shape === 'flat') return mergeDeep(body, set)
  const told: Record<string, unknown> = {}
  const response: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(set)) {
    const name = nestedNames[field]
    if (name === undefined) told[field] = value
    else response[name] = value
  }
  return mergeDeep(mergeDeep(body, { response }), told)
}

const wireStatus = { QUEUED: 'queued', SUCCESS: 'success', FAILED: 'failed', REVERSED: 'reversed' } as const

const toldStatus = { queued: 'QUEUED', success: 'SUCCESS', failed: 'FAILED', reversed: 'REVERSED' } as const

function resultOf(row: TransactionRow): ResultFacts {
  const name = row.reason ?? outcomeOf(row)
  const facts: ResultFacts =
    name in outcomes ? outcomes[name as keyof typeof outcomes] : reasons[name as Reason]
  const words = networkOf(row)?.words
  const text = words && (wordings[words] as { readonly [name: string]: string | undefined })[name]
  return text === undefined ? facts : { ...facts, text }
}

function outcomeOf({ status, direction }: TransactionRow): keyof typeof outcomes {
  if (status === 'QUEUED') return 'queued'
  if (status === 'REVERSED') return 'reversed'
  return direction === 'payin' ? 'collected' : 'paid_out'
}

export const messageOf = (row: TransactionRow): string => resultOf(row).text

/** The fields of callbacks and of status responses; a described field that is missing does not compile. */
type Flat = Complete<Omit<FlatResult, 'status'> & TransactionStatus>

export function flatResult(row: TransactionRow): Flat {
  return {
    success: row.status === 'SUCCESS' || row.status === 'QUEUED',
    status: wireStatus[row.status],
    message: resultOf(row).text,
    reference: row.reference,
    external_reference: row.external_reference,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    transaction_id: '',
    transaction_date: wireTime(row.settled_at ?? row.created_at),
    transaction_type: row.direction === 'payin' ? 'inbound_payment' : 'outbound_payment',
    provider_reference: row.provider_reference,
    provider: row.provider,
    callback_urls: null,
  }
}

function resultBody(tx: Tx, row: TransactionRow, shape: CallbackShape, set?: FieldValues): string {
  const body = shape === 'flat' ? flatResult(row) : nestedResult(tx, row)
  const told = set ? setFields(body, shape, set) : body
  const observed = tx.settings.observed?.operations?.[row.operation]?.callback
  return JSON.stringify(observed ? changedBody(observed, told, row) : told)
}

/** Returns the response to a status query. A scenario may make it differ from the callback of a final transaction. */
export function statusResult(row: TransactionRow): Flat {
  const { status, reason = null, set } = row.plan?.status_query ?? {}
  if (!row.plan?.status_query || row.status === 'QUEUED') return flatResult(row)
  const told = status ? { ...row, status: toldStatus[status], reason } : row
  return set ? setFields(flatResult(told), 'flat', set) : flatResult(told)
}

/** Returns the nested shape of older integrations. */
function nestedResult(tx: Tx, row: TransactionRow) {
  const success = row.status === 'SUCCESS'
  const id = tx.random.uuid('merchant-request', row.id)
  const balance = (pot: 'wallet' | 'service_wallet') =>
    toMajor(balanceOf(tx, teamAccount(row.account_id, pot, row.currency)), row.currency)
  return {
    status: success,
    forward_url: '',
    response: {
      MerchantRequestID: `${id.slice(9, 13)}-${id.slice(14, 18)}-${id.slice(19, 23)}-1`,
      CheckoutRequestID: row.checkout_request_id,
      ResultCode: resultOf(row).code,
      Amount: toMajor(row.amount, row.currency),
      // A bank's reference is not a receipt of the operator.
      MpesaReceiptNumber: rails[row.rail].receipts === 'operator' ? row.provider_reference : '',
      Phone: localKenyan(row.party),
      ExternalReference: row.external_reference,
      Status: success ? ('Success' as const) : ('Failed' as const),
      ResultDesc: resultOf(row).text,
      ServiceWalletBalance: balance('service_wallet'),
      PaymentWalletBalance: balance('wallet'),
      ...(row.operation === 'createWithdrawal' && { TransactionID: row.reference }),
    },
  }
}
