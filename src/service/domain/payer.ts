/** The phone at the other end of a mobile-money payment: what it stands against, and what it holds. */
import { isOfPhone } from '../vocabulary/rails.ts'
import type { Reason } from '../vocabulary/reasons.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { PhoneRow } from '../../storage/store/rows.ts'
import { isWithoutPrompt } from './realism/rules.ts'
import { isRealistic, addJob, type Look, type Tx } from './context.ts'

/** How many wrong PINs in a row lock a phone. */
export const MOST_WRONG_PINS = 3

/** A phone that nobody has changed has no row; it is on, registered, and always has enough. */
export const untouched = (number: string): PhoneRow => ({
  number,
  on: true,
  registered: true,
  operator: 'works',
  pin: '1234',
  wrong_pins: 0,
  balances: {},
})

export const isLocked = ({ wrong_pins }: PhoneRow): boolean => wrong_pins >= MOST_WRONG_PINS

/** The number of the phone that pays or is paid; somebody else may pay an offline collection. */
export const phoneOf = ({ paid_by, party }: TransactionRow): string => paid_by ?? party

/** The row of the phone behind a mobile-money payment; undefined where it is as every phone is. */
const rowOf = ({ rows }: Look, row: TransactionRow): PhoneRow | undefined =>
  isOfPhone(row) ? rows.get('phones', phoneOf(row)) : undefined

/** Why a payment does not come to the phone at all; null when it does. */
export function whyUnreached(look: Look, row: TransactionRow): Reason | null {
  const phone = rowOf(look, row)
  if (!phone) return null
  const isPayIn = row.direction === 'payin'
  if (phone.operator !== 'works') return phone.operator === 'busy' ? 'operator_busy' : 'operator_error'
  if (!phone.registered) return isPayIn ? 'prompt_not_sent' : 'not_registered'
  // Money arrives at a phone that is off, too.
  return !phone.on && isPayIn ? 'unreachable' : null
}

/** Why a payment cannot succeed with the phone as it is, whatever was decided; null when it can. */
export function whyNotPaid(look: Look, row: TransactionRow): Reason | null {
  const phone = rowOf(look, row)
  if (!phone) return null
  const unreached = whyUnreached(look, row)
  if (unreached !== null || row.direction === 'payout') return unreached
  if (isLocked(phone)) return 'subscriber_locked'
  const balance = phone.balances[row.currency]
  return balance !== undefined && balance < row.amount ? 'insufficient_funds' : null
}

/** Moves the money of a payment on the phone, where somebody has said what it holds. @param back of a reversal */
export function moveOnPhone(tx: Tx, row: TransactionRow, back: boolean): void {
  const phone = rowOf(tx, row)
  const balance = phone?.balances[row.currency]
  if (!phone || balance === undefined) return
  const moved = (row.direction === 'payout') === back ? -row.amount : row.amount
  // What a Team takes back from a phone that has spent it is the operator's loss.
  const balances = { ...phone.balances, [row.currency]: Math.max(0, balance + moved) }
  tx.rows.put('phones', { ...phone, balances })
}

/** Who a pay-in waits for: nobody, or its payer, who answers a prompt or opens a page. One rule for both. */

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
