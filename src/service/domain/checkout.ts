/** What a payer does on the page of a pay-in, and how the settlement waits for it. */
import { rails } from '../vocabulary/rails.ts'
import { type CardAttempt, MOST_CARDS, type TransactionRow } from '../../storage/store/payment-rows.ts'
import { addJob, type Caller, type Look, type Tx } from './context.ts'
import { Faults, invalid, noneLeft } from './errors.ts'
import { CHECKOUT_LASTS, forgetWaiting } from './payer.ts'
import { endAsDecided, endOf, failInstead, findTransaction } from './transactions.ts'
import { wireTime } from './wire-time.ts'
import type { AnswerCheckoutBody } from '../../generated/control/requests.ts'
import { type Card, type CardField, readCard, testCardOf } from './cards.ts'
import type { Reason } from '../vocabulary/reasons.ts'

/** Whether it has a page: a pay-in of the unified endpoint. */
export const hasCheckout = ({ operation, direction }: TransactionRow): boolean =>
  operation === 'createGlobalPayment' && direction === 'payin'

/**
 * A payer has the page open: nothing settles the payment by itself any more, and left alone it expires. A page that was open
 * before waits no longer for being opened again; what a scenario leaves queued for ever stays so.
 */
export function openCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED' || row.checkout_expires_at !== undefined) return
  forgetWaiting(tx, row)
  const checkout_expires_at = tx.now + CHECKOUT_LASTS
  tx.rows.put('transactions', { ...row, checkout_opened_at: tx.now, checkout_expires_at })
  if (!row.plan?.settle?.never) addJob(tx, CHECKOUT_LASTS, { kind: 'expire', transaction_id: id })
}

/** The payer pays: the payment ends at once as it was decided, in the failure of a scenario where there is one. */
export function payCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'QUEUED') endAsDecided(tx, row)
}

/**
 * The payer cancels.
 * @throws ServiceError 400 when the payment has succeeded before
 */
export function cancelCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'SUCCESS')
    throw invalid(
      `payment ${row.reference} cannot be cancelled any more: it was paid at ${wireTime(row.settled_at!)}`,
    )
  if (row) failInstead(tx, row, 'cancelled')
}

/** The page's time is up: a payer whose card was declined is told that again, one who did nothing that it has expired. */
export function endCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (!row) return
  const last = row.cards?.at(-1)
  const declined = last?.outcome === 'declined' ? last.reason : null
  failInstead(tx, row, endOf(row).reason ?? declined ?? 'expired')
}

/** Answers a payment page in the place of the payer, for tests. What cannot be done is an error here; the page does nothing. */

/**
 * The pay-in of a page, by any identifier that the service returned for it or by the caller's own reference.
 * @throws ServiceError 404 when there is none, 400 when it has no page
 */
export function findCheckout(look: Look, caller: Caller, identifier: string): TransactionRow {
  const row = findTransaction(look, caller, identifier, 'checkout')
  if (hasCheckout(row)) return row
  throw invalid(
    `payment ${row.reference} has no page: only a pay-in by POST /api/global/payments has one, and this is a ${row.direction} by ${row.operation}`,
  )
}

type Action = keyof AnswerCheckoutBody
const actions = ['open', 'card', 'three_d_secure', 'pay', 'cancel'] as const satisfies readonly Action[]

/**
 * Does one thing that a payer can do.
 * @throws ServiceError 400 when it is none or several, cannot be done any more, or the card cannot be read
 */
export function answerCheckout(tx: Tx, found: TransactionRow, answer: AnswerCheckoutBody): TransactionRow {
  const { open, card, three_d_secure, pay, cancel, ...rest } = answer
  noneLeft(rest)
  requireOne(answer)
  requirePending(found)
  const { id } = found
  if (open) openCheckout(tx, id)
  else if (pay) payCheckout(tx, id)
  else if (cancel) cancelCheckout(tx, id)
  else if (card) payByCard(tx, id, readTyped(tx, found, card))
  else if (three_d_secure) {
    if (!challengeOf(found)) throw invalid('three_d_secure is asked for by no card of this payment now')
    answerChallenge(tx, id, three_d_secure)
  }
  return tx.rows.get('transactions', id)!
}

function requireOne(answer: AnswerCheckoutBody): void {
  const given = actions.filter((action) => answer[action] !== undefined)
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ')
    throw invalid(`one of ${actions.join(', ')} must be sent, got ${got}`)
  }
  const [only] = given
  if (answer[only!] === false) throw invalid(`${only} must be true, got false`)
}

function requirePending({ reference, status, settled_at, reason }: TransactionRow): void {
  if (status === 'QUEUED') return
  const how = reason === null ? status : `${status} (${reason})`
  throw invalid(`payment ${reference} is over: it is ${how} since ${wireTime(settled_at!)}`)
}

function readTyped(
  { now }: Tx,
  row: TransactionRow,
  { number, expiry, cvc, name, ...rest }: NonNullable<AnswerCheckoutBody['card']>,
) {
  noneLeft(rest)
  if (rails[row.rail].payer !== 'card')
    throw invalid(`card is for payments by card, and this one is by ${row.rail}; send pay`)
  const { card, faults: found } = readCard({ number, expiry, cvc, name }, now)
  const faults = new Faults()
  for (const [field, fault] of Object.entries(found) as [CardField, string][])
    faults.add(`card.${field}`, fault)
  faults.throwAny()
  if (cardsLeft(row) === 0) throw invalid('card cannot be tried: this payment has had its last one')
  return card
}

/**
 * A pay-in that is paid by card on its page. A card that is declined leaves the payment as it is while another can be tried; the
 * last one, and a failure that was decided before, end it. The service documents none of this: it is assumed.
 */

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
