/** The payer of a payment: the state of the phone, and how payments wait for manual action. */
import { isOfPhone, type Reason } from '../vocabulary/rails.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { PhoneRow } from '../../storage/store/rows.ts'
import type { Plan } from '../vocabulary/outcome.ts'
import { isRealistic, addJob, type Look, type Tx } from './context.ts'

export const MOST_WRONG_PINS = 3

/** A phone without a row: on, registered, and with sufficient balance. */
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

/** Returns the phone that pays or is paid; a different phone may pay an offline collection. */
export const phoneOf = ({ paid_by, party }: TransactionRow): string => paid_by ?? party

/** Returns the row of a mobile-money payment's phone; undefined if the phone has its default state. */
const rowOf = ({ rows }: Look, row: TransactionRow): PhoneRow | undefined =>
  isOfPhone(row) ? rows.get('phones', phoneOf(row)) : undefined

/** Returns why a payment does not reach the phone; null if it does. */
export function unreachableReason(look: Look, row: TransactionRow): Reason | null {
  const phone = rowOf(look, row)
  if (!phone) return null
  const isPayIn = row.direction === 'payin'
  if (phone.operator !== 'works') return phone.operator === 'busy' ? 'operator_busy' : 'operator_error'
  if (!phone.registered) return isPayIn ? 'prompt_not_sent' : 'not_registered'
  // Phones receive money even if they are off.
  return !phone.on && isPayIn ? 'unreachable' : null
}

/** Returns why the phone prevents a payment from succeeding; null if it does not. */
export function declineReason(look: Look, row: TransactionRow): Reason | null {
  const phone = rowOf(look, row)
  if (!phone) return null
  const unreached = unreachableReason(look, row)
  if (unreached !== null || row.direction === 'payout') return unreached
  if (isLocked(phone)) return 'subscriber_locked'
  const balance = phone.balances[row.currency]
  return balance !== undefined && balance < row.amount ? 'insufficient_funds' : null
}

/**
 * Updates the phone's balance, if one was set.
 * @param back - for a reversal
 */
export function moveOnPhone(tx: Tx, row: TransactionRow, back: boolean): void {
  const phone = rowOf(tx, row)
  const balance = phone?.balances[row.currency]
  if (!phone || balance === undefined) return
  const moved = (row.direction === 'payout') === back ? -row.amount : row.amount
  // If the phone has already spent the money of a reversal, the operator bears the loss.
  const balances = { ...phone.balances, [row.currency]: Math.max(0, balance + moved) }
  tx.rows.put('phones', { ...phone, balances })
}

/** How long a prompt is pending, milliseconds on the world's clock (open-points, "Transaction states"). */
export const PROMPT_LASTS = 60_000
/** How long a page is pending, from its opening, or from acceptance until it is opened. */
export const CHECKOUT_LASTS = 600_000

/** Reasons of failures before the prompt reaches the phone. */
const withoutPrompt: readonly Reason[] = [
  'subscriber_locked',
  'prompt_not_sent',
  'rule_limited',
  'daily_limit',
  'operator_busy',
]

export const isWithoutPrompt = (plan: Plan | null): boolean => {
  const reason = plan?.settle?.reason
  return reason !== undefined && withoutPrompt.includes(reason)
}

/**
 * Whether a payment waits for its payer, by the setting `payer`: `manual_while_watched` only while the dashboard shows
 * the phones. If a prompt cannot reach its phone, the payment does not wait.
 */
export function isLeftToPayer(look: Look, row: TransactionRow): boolean {
  const { payer } = look.settings
  if (payer === undefined || payer === 'automatic') return false
  if (payer === 'manual_while_watched' && look.watched !== true) return false
  if (row.direction !== 'payin' || row.is_offline || row.plan?.callback?.first) return false
  if (isRealistic(look) && isWithoutPrompt(row.plan)) return false
  return unreachableReason(look, row) === null
}

/** Holds a payment until its payer acts or time runs out. */
export function holdForPayer(tx: Tx, row: TransactionRow): void {
  const lasts = isOfPhone(row) ? PROMPT_LASTS : CHECKOUT_LASTS
  // A payment that begins to wait late still gets the full time.
  const payer_due_at = Math.max(tx.now, row.created_at) + lasts
  tx.rows.put('transactions', { ...row, payer_due_at })
  addJob(tx, payer_due_at - tx.now, { kind: 'unanswered', transaction_id: row.id })
}

/** Whether a payment waits for its payer at a prompt or an open page, so that it does not settle automatically. */
export const isHeld = ({ status, payer_due_at, checkout_opened_at }: TransactionRow): boolean =>
  status === 'QUEUED' && (payer_due_at !== undefined || checkout_opened_at !== undefined)

/** Returns when the payment stops waiting for its payer, milliseconds on the world's clock. */
export const waitsUntil = ({
  status,
  plan,
  checkout_expires_at,
  payer_due_at,
}: TransactionRow): number | undefined =>
  status === 'QUEUED' && !plan?.settle?.never ? (checkout_expires_at ?? payer_due_at) : undefined

/** Stops waiting for the payer: the payment has ended, or something else replaces it. */
export function stopWaiting(tx: Tx, { id }: TransactionRow): void {
  for (const job of tx.rows.find('jobs', 'expire', id)) tx.rows.delete('jobs', job.id)
}
