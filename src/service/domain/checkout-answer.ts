/** Answers a payment page in the place of the payer, for tests. What cannot be done is an error here; the page does nothing. */
import type { AnswerCheckoutBody } from '../../generated/control/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { type CardField, readCard } from './card-form.ts'
import { answerChallenge, cardsLeft, challengeOf, payByCard } from './card-payment.ts'
import { cancelCheckout, hasCheckout, openCheckout, payCheckout } from './checkout.ts'
import type { Caller, Look, Tx } from './context.ts'
import { invalid } from './errors.ts'
import { Faults } from './faults.ts'
import { noneLeft } from './request-fields.ts'
import { findTransaction } from './transactions.ts'
import { wireTime } from './wire-time.ts'

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
  if (row.rail !== 'card')
    throw invalid(`card is for payments by card, and this one is by ${row.rail}; send pay`)
  const { card, faults: found } = readCard({ number, expiry, cvc, name }, now)
  const faults = new Faults()
  for (const [field, fault] of Object.entries(found) as [CardField, string][])
    faults.add(`card.${field}`, fault)
  faults.throwAny()
  if (cardsLeft(row) === 0) throw invalid('card cannot be tried: this payment has had its last one')
  return card
}
