import { cvcDigits, testCards } from '../service/domain/cards.ts'
import {
  respondToCheckout,
  cardsLeft,
  challengeOf,
  findCheckout,
  hasCheckout,
} from '../service/domain/checkout.ts'
import type { Look } from '../service/domain/context.ts'
import { toMajor } from '../service/domain/money.ts'
import { waitsUntil } from '../service/domain/payer.ts'
import { exactOrNull, exactTime } from '../service/domain/wire-time.ts'
import type { Checkout } from '../generated/control/schemas.ts'
import type { Call } from '../http/handler.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { checkoutPath } from '../worlds/checkout-address.ts'
import { handlers, ok, viewsOf } from './page.ts'

export const checkouts = handlers(() => ({
  async listCheckouts(call) {
    const { world, request } = call
    const { state, ...page } = request.query
    const isMeant = (row: TransactionRow) =>
      hasCheckout(row) && (state === undefined || stateOf(row) === state)
    const view = (row: TransactionRow) => viewOf(call, row)
    const { views: checkouts, next_before } = await viewsOf(world, 'transactions', page, isMeant, view)
    return ok({ checkouts, next_before })
  },

  getCheckout: { read: (look, call) => ok(viewOf(call, requested(look, call))) },

  respondToCheckout: {
    change: (tx, call) => ok(viewOf(call, respondToCheckout(tx, requested(tx, call), call.request.body))),
  },

  async listTestCards() {
    return ok({ test_cards: testCards.map((card) => ({ ...card, cvc_digits: cvcDigits(card.number) })) })
  },
}))

const requested = (
  look: Look,
  { caller, request }: Call<{ readonly path: { readonly checkout_request_id: string } }>,
) => findCheckout(look, caller, request.path.checkout_request_id)

function stateOf(row: TransactionRow): Checkout['state'] {
  if (row.status !== 'QUEUED') return 'closed'
  if (challengeOf(row)) return 'three_d_secure'
  return row.checkout_opened_at === undefined ? 'waiting' : 'open'
}

function viewOf({ world, origin }: Pick<Call, 'world' | 'origin'>, row: TransactionRow): Checkout {
  const until = waitsUntil(row)
  const opened = row.checkout_opened_at
  return {
    id: row.id,
    checkout_request_id: row.checkout_request_id,
    reference: row.reference,
    external_reference: row.external_reference,
    account_id: row.account_id,
    rail: row.rail,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    state: stateOf(row),
    status: row.status,
    reason: row.reason,
    opened_at: exactOrNull(opened),
    expires_at: exactOrNull(until),
    cards: (row.cards ?? []).map(({ at, brand, last4, outcome, reason }) => ({
      brand,
      last4,
      outcome: outcome === 'challenged' && row.status !== 'QUEUED' ? 'abandoned' : outcome,
      reason: outcome === 'declined' ? reason : null,
      at: exactTime(at),
    })),
    card_attempts_left: row.status === 'QUEUED' ? cardsLeft(row) : 0,
    url: origin + checkoutPath(world, row),
  }
}
