import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Look } from './context.ts'
import { numberOfReceipt } from './references.ts'

/**
 * The transaction that has a receipt. Receipts are numbered as transactions are, so that nobody has to search; one that another
 * world gave, before an import, is not found so.
 */
export function receipted({ rows, random }: Look, receipt: string): TransactionRow | undefined {
  const number = numberOfReceipt(random, receipt)
  const row = number === undefined ? undefined : rows.get('transactions', number)
  return row?.provider_reference === receipt ? row : undefined
}
