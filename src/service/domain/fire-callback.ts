import type { FireCallbackBody } from '../../generated/control/requests.ts'
import type { CallbackRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Tx } from './context.ts'
import { next } from './counters.ts'
import { invalid } from './errors.ts'
import { addJob } from './jobs.ts'
import { resultBody } from './results.ts'
import { noneLeft } from './request-fields.ts'

/** What was asked for; `after` in milliseconds. */
export type Wanted = Omit<FireCallbackBody, 'reference' | 'after'> & { readonly after: number }

/**
 * Enqueues one more callback that tells a transaction's present state, in the manner that the user chooses. The
 * transaction does not change.
 * @throws ServiceError 400 when nobody said where to
 */
export function fireCallback(tx: Tx, row: TransactionRow, wanted: Wanted): CallbackRow {
  const {
    url = row.callback_url,
    shape = tx.settings.callback_shape,
    fault = null,
    after,
    ...others
  } = wanted
  const { set, method, content_type, padding, copies, ...rest } = others
  noneLeft(rest)
  if (url === '') throw invalid(`url is required: transaction ${row.reference} has no callback_url`)
  const callback: CallbackRow = {
    id: next(tx, 'callback'),
    transaction_id: row.id,
    url,
    shape,
    body: resultBody(tx, row, shape, set),
    fault,
    fired: true,
    ...(row.trace && { trace: row.trace }),
    ...(method && { method }),
    ...(content_type && { content_type }),
    ...(padding && { padding }),
    state: 'pending',
    created_at: tx.now,
  }
  tx.rows.insert('callbacks', callback)
  addJob(tx, after, { kind: 'callback', callback_id: callback.id, copies })
  return callback
}
