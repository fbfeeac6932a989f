import type { TransactionRow } from '../store/rows.ts'
import type { Tx } from './context.ts'
import { next } from './counters.ts'
import { addJob } from './jobs.ts'
import { flatResult, nestedResult } from './results.ts'

/** Owes the transaction's result to its `callback_url`, now; nothing when it has none (specification 6.1). */
export async function oweCallback(tx: Tx, row: TransactionRow): Promise<void> {
  if (row.callback_url === '') return
  const id = await next(tx, 'callback')
  const shape = tx.settings.callback_shape
  const body = shape === 'flat' ? flatResult(row) : await nestedResult(tx, row)
  await tx.rows.insert('callbacks', {
    id,
    transaction_id: row.id,
    url: row.callback_url,
    shape,
    body: JSON.stringify(body),
    state: 'pending',
    created_at: tx.now,
  })
  await addJob(tx, 0, { kind: 'callback', callback_id: id })
}
