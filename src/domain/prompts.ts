/** What a payer does at the prompt on the phone, and what becomes of prompts that nobody answers. */
import type { TransactionRow } from '../store/rows.ts'
import type { Reason } from '../reasons.ts'
import type { Tx } from './context.ts'
import { addJob } from './jobs.ts'
import { forgetWaiting, isPayers } from './payer.ts'
import { isRealistic } from './realism/chosen.ts'
import { endAsDecided, endOf, failInstead, settlesAfter } from './transactions.ts'

/** What an unanswered prompt fails with: real operators say that its payer could not be reached. */
const unanswered = (tx: Tx, { rail }: TransactionRow): Reason =>
  isRealistic(tx) && rail === 'momo' ? 'unreachable' : 'expired'

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
