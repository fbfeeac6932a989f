/**
 * A pay-in that is paid by card on its page. A card that is declined leaves the payment as it is while another can be tried; the
 * last one, and a failure that was decided before, end it. The service documents none of this: it is assumed.
 */
import { type CardAttempt, MOST_CARDS } from '../../storage/store/payment-rows.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Reason } from '../vocabulary/reasons.ts'
import type { Card } from './card-form.ts'
import { openCheckout, payCheckout } from './checkout.ts'
import type { Tx } from './context.ts'
import { testCardOf } from './test-cards.ts'
import { endOf, failInstead } from './transactions.ts'

/** How many cards can still be tried. */
export const cardsLeft = ({ cards = [] }: TransactionRow): number => Math.max(0, MOST_CARDS - cards.length)

/** The card whose bank waits for its customer; undefined when none does. */
export function challengeOf({ status, cards = [] }: TransactionRow): CardAttempt | undefined {
  const last = cards.at(-1)
  return status === 'QUEUED' && last?.outcome === 'challenged' ? last : undefined
}

/** The card that was declined last, which another may take the place of; undefined when none was. */
export function declineOf({ cards = [] }: TransactionRow): CardAttempt | undefined {
  const last = cards.at(-1)
  return last?.outcome === 'declined' ? last : undefined
}

/**
 * Charges a card, whose page is open from then on. Nothing happens to a payment that is over, or for which no card is left.
 * Of the card its brand and last digits are kept.
 */
export function payByCard(tx: Tx, id: number, { number, brand, last4 }: Card): void {
  openCheckout(tx, id)
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED' || cardsLeft(row) === 0) return
  const { reason = null, three_d_secure = false } = testCardOf(number) ?? {}
  const before = (row.cards ?? []).map((each) =>
    each.outcome === 'challenged' ? { ...each, outcome: 'abandoned' as const } : each,
  )
  const attempt: CardAttempt = { at: tx.now, brand, last4, outcome: 'challenged', reason }
  const charged = { ...row, cards: [...before, attempt] }
  tx.rows.put('transactions', charged)
  if (!three_d_secure) conclude(tx, charged, reason)
}

/** The payer answers the bank of the card. Nothing happens where it does not ask. */
export function answerChallenge(tx: Tx, id: number, answer: 'pass' | 'fail'): void {
  const row = tx.rows.get('transactions', id)
  const asked = row && challengeOf(row)
  if (asked) conclude(tx, row, answer === 'pass' ? asked.reason : 'not_authenticated')
}

/** @param reason why the bank declines the last card; null when it does not */
function conclude(tx: Tx, row: TransactionRow, reason: Reason | null): void {
  const decided = endOf(row)
  const declined = reason ?? decided.reason
  const outcome = declined === null ? 'approved' : 'declined'
  const { cards = [] } = row
  const last = { ...cards.at(-1)!, outcome, reason: declined } as const
  const concluded = { ...row, cards: [...cards.slice(0, -1), last] }
  tx.rows.put('transactions', concluded)
  if (reason === null) payCheckout(tx, row.id)
  else if (cardsLeft(concluded) === 0) failInstead(tx, concluded, decided.reason ?? reason)
}
