/** What a payer does at the prompt on the phone, and what becomes of prompts that nobody answers. */
import type { AnswerPromptBody } from '../../generated/control/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { isOfPhone } from '../vocabulary/rails.ts'
import { type Reason, reasons } from '../vocabulary/reasons.ts'
import { invalid, notFound, noneLeft } from './errors.ts'
import { forgetWaiting, isPayers, phoneOf, whyUnreached } from './payer.ts'
import { typePin } from './phone-changes.ts'
import { isRealistic, addJob, type Caller, type Look, type Tx } from './context.ts'
import { endAsDecided, endOf, failInstead, findTransaction, settlesAfter } from './transactions.ts'
import { wireTime } from './wire-time.ts'

/** Whether a payment asks its payer on the phone. */
export const isPrompt = (row: TransactionRow): boolean =>
  row.direction === 'payin' && isOfPhone(row) && !row.is_offline

/** The prompt of a payment. @param id any identifier of the payment. @throws ServiceError 404 */
export function findPrompt(look: Look, caller: Caller, id: string): TransactionRow {
  const row = findTransaction(look, caller, id, 'prompt')
  if (!isPrompt(row)) throw notFound('prompt', id)
  return row
}

/**
 * The payer types the PIN, or cancels: the payment ends at once. The right PIN leads to what was decided, anything else to its own
 * failure.
 * @throws ServiceError 400 when the prompt is over, saying how it ended
 */
export function answerPrompt(tx: Tx, row: TransactionRow, { pin, cancel, ...rest }: AnswerPromptBody): void {
  noneLeft(rest)
  if ((pin === undefined) === (cancel === undefined))
    throw invalid('one of pin (what the payer types) and cancel: true is required, and not both')
  if (cancel === false) throw invalid('cancel must be true; who does not answer lets the prompt expire')
  if (row.status !== 'QUEUED') throw invalid(`prompt ${row.reference} is over: it ${howItEnded(row)}`)
  const answered = { ...row, answered_at: tx.now }
  tx.rows.put('transactions', answered)
  const unreached = whyUnreached(tx, row)
  const why = unreached ?? (pin === undefined ? 'cancelled' : typePin(tx, phoneOf(row), pin))
  if (why === null) endAsDecided(tx, answered)
  else failInstead(tx, answered, why)
}

/** How a payment that is over ended, as words after its name. */
export function howItEnded({ status, reason, settled_at }: TransactionRow): string {
  const at = wireTime(settled_at ?? 0)
  if (reason !== null) return `failed at ${at}: ${reason} (${reasons[reason].text})`
  return status === 'SUCCESS' ? `was paid at ${at}` : `was ${status} at ${at}`
}

/** A phone changed: prompts that wait on it and do not reach it any more fail. */
export function endUnreached(tx: Tx, number: string): void {
  for (const row of tx.rows.find('transactions', 'held', 'yes')) {
    const why = phoneOf(row) === number && isPrompt(row) ? whyUnreached(tx, row) : null
    if (why !== null) failInstead(tx, row, why)
  }
}

/** What an unanswered prompt fails with: real operators say that its payer could not be reached. */
const unanswered = (tx: Tx, row: TransactionRow): Reason =>
  isRealistic(tx) && isOfPhone(row) ? 'unreachable' : 'expired'

/** The time is up of a payment that was left to its payer. @returns what came of it, in a few words */
export function endUnanswered(tx: Tx, id: number): string {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED') return 'done'
  // Nobody is waited for any more, or its failure was decided: then it ends as it would have by itself.
  if (!isPayers(tx, row) || endOf(row).status === 'FAILED') return endAsDecided(tx, row)
  failInstead(tx, row, unanswered(tx, row))
  return 'FAILED'
}

/** How many payments one change gives back to the sandbox. */
const AT_ONCE = 100

/**
 * Lets payments settle by themselves that are their payers' no longer, at the time at which they would have.
 * @returns whether there may be more
 */
export function releaseHeld(tx: Tx): boolean {
  const held = tx.rows.find('transactions', 'held', 'yes')
  const some = held.slice(0, AT_ONCE).filter((row) => !isPayers(tx, row))
  for (const row of some) release(tx, row)
  return some.length === AT_ONCE
}

function release(tx: Tx, row: TransactionRow): void {
  const { checkout_opened_at, plan } = row
  tx.rows.put('transactions', { ...row, payer_due_at: undefined })
  // Whoever has its page open has it in hand.
  if (checkout_opened_at !== undefined) return
  forgetWaiting(tx, row)
  if (plan?.settle?.after_polls !== undefined) return
  const due_at = row.created_at + settlesAfter(tx, row)
  addJob(tx, Math.max(0, due_at - tx.now), { kind: 'settle', transaction_id: row.id, ...endOf(row) })
}
