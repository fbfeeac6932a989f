/** The phone at the other end of a mobile-money payment: what it stands against, and what it holds. */
import { isOfPhone } from '../vocabulary/rails.ts'
import type { Reason } from '../vocabulary/reasons.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { PhoneRow } from '../../storage/store/rows.ts'
import type { Look, Tx } from './context.ts'

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
