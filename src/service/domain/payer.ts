/** Who a pay-in waits for: nobody, or its payer, who answers a prompt or opens a page. One rule for both. */
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { isOfPhone } from '../vocabulary/rails.ts'
import type { Look, Tx } from './context.ts'
import { whyUnreached } from './handset.ts'
import { addJob } from './jobs.ts'
import { isRealistic, isWithoutPrompt } from './realism/rules.ts'

/** How long a prompt waits on the payer's phone, milliseconds on the world's clock (open-points, "Transaction states"). */
export const PROMPT_LASTS = 60_000
/** How long a page waits for its payer, from its opening on, or from the acceptance of what waits for it to be opened. */
export const CHECKOUT_LASTS = 600_000

/**
 * Whether a payment is its payer's to end: by the setting `payer`, and with `by_hand_while_watched` only while somebody watches
 * the phones. A phone that a prompt does not reach has nobody who could answer.
 */
export function isPayers(look: Look, row: TransactionRow): boolean {
  const { payer } = look.settings
  if (payer === undefined || payer === 'automatic') return false
  if (payer === 'by_hand_while_watched' && look.watched !== true) return false
  if (row.direction !== 'payin' || row.is_offline || row.plan?.callback?.first) return false
  if (isRealistic(look) && isWithoutPrompt(row.plan)) return false
  return whyUnreached(look, row) === null
}

/** Lets nothing but its payer, or the end of his time, settle a payment from now on. */
export function holdForPayer(tx: Tx, row: TransactionRow): void {
  const lasts = isOfPhone(row) ? PROMPT_LASTS : CHECKOUT_LASTS
  // One that began to wait late has no less time than its prompt would have.
  const payer_due_at = Math.max(tx.now, row.created_at) + lasts
  tx.rows.put('transactions', { ...row, payer_due_at })
  addJob(tx, payer_due_at - tx.now, { kind: 'unanswered', transaction_id: row.id })
}

/** Whether its payer has it in hand, by a prompt that waits or a page that was opened: nothing settles it by itself. */
export const isHeld = ({ status, payer_due_at, checkout_opened_at }: TransactionRow): boolean =>
  status === 'QUEUED' && (payer_due_at !== undefined || checkout_opened_at !== undefined)

/** Until when the payment waits for its payer, milliseconds on the world's clock; undefined when it does not. */
export const waitsUntil = ({
  status,
  plan,
  checkout_expires_at,
  payer_due_at,
}: TransactionRow): number | undefined =>
  status === 'QUEUED' && !plan?.settle?.never ? (checkout_expires_at ?? payer_due_at) : undefined

/** Takes back that a payment waits for its payer's time to end: it has ended, or something else takes its place. */
export function forgetWaiting(tx: Tx, { id }: TransactionRow): void {
  for (const job of tx.rows.find('jobs', 'expire', id)) tx.rows.delete('jobs', job.id)
}
