import { mergeDeep } from '../../lib/objects.ts'
import type { CallbackShape, FieldValues } from '../vocabulary/terms.ts'
import type { Complete } from '../../lib/complete.ts'
import type { FlatResult, TransactionStatus } from '../../generated/service/schemas.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Tx } from './context.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { toMajor } from './money.ts'
import { localKenyan } from './phones.ts'
import { rails } from '../vocabulary/rails.ts'
import { outcomes, reasons, type ResultFacts } from '../vocabulary/reasons.ts'
import { wireTime } from './wire-time.ts'

/** What fields of the flat shape are called in the nested one, within `response`. */
const nestedNames: { readonly [field: string]: string } = {
  amount: 'Amount',
  external_reference: 'ExternalReference',
  message: 'ResultDesc',
  provider_reference: 'MpesaReceiptNumber',
  reference: 'TransactionID',
}

/**
 * A body with these fields otherwise, or besides. Fields of the flat shape are set in the nested one where it tells the same,
 * so that a scenario need not know which shape a world uses.
 */
export function setFields<Body extends object>(body: Body, shape: CallbackShape, set: FieldValues): Body {
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

/** The two shapes in which a transaction's result is told (open-points, "Callbacks"). */

const wireStatus = { QUEUED: 'queued', SUCCESS: 'success', FAILED: 'failed', REVERSED: 'reversed' } as const

const toldStatus = { queued: 'QUEUED', success: 'SUCCESS', failed: 'FAILED', reversed: 'REVERSED' } as const

/** What became of a transaction: the result's code, and its words. */
function resultOf({ reason, status, direction }: TransactionRow): ResultFacts {
  if (reason) return reasons[reason]
  if (status === 'QUEUED') return outcomes.queued
  if (status === 'REVERSED') return outcomes.reversed
  return direction === 'payin' ? outcomes.collected : outcomes.paid_out
}

/** What the service says became of a transaction. */
export const messageOf = (row: TransactionRow): string => resultOf(row).text

/** What the callback and the status lookup tell; a field that either has in the description is told, or this does not compile. */
type Flat = Complete<Omit<FlatResult, 'status'> & TransactionStatus>

/** The flat shape; also the answer of the status lookup. */
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

/** What a callback of this transaction tells, in a shape. @param set fields that are otherwise on purpose */
export function resultBody(tx: Tx, row: TransactionRow, shape: CallbackShape, set?: FieldValues): string {
  const body = shape === 'flat' ? flatResult(row) : nestedResult(tx, row)
  return JSON.stringify(set ? setFields(body, shape, set) : body)
}

/**
 * What a look-up tells. Of a transaction that is final, a scenario may have it tell something else than the callback
 * did.
 */
export function lookedUp(row: TransactionRow): Flat {
  const { status, reason = null, set } = row.plan?.look_up ?? {}
  if (!row.plan?.look_up || row.status === 'QUEUED') return flatResult(row)
  const told = status ? { ...row, status: toldStatus[status], reason } : row
  return set ? setFields(flatResult(told), 'flat', set) : flatResult(told)
}

/** The nested shape of older integrations. */
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
      // A bank's reference is no receipt of the operator.
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
