/** Actions of people other than the caller: invitees, customers at a paybill, reviewers, operators. */
import { handlers, ok, viewsOf } from './page.ts'
import { simulate as simulateOutcome } from '../service/domain/reversals.ts'
import { closeChannel, createChannel, findChannel, setChannel } from '../service/domain/channels.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { fundTeam } from '../service/domain/funding.ts'
import { acceptInvite, declineInvite } from '../service/domain/members.ts'
import { toMajor } from '../service/domain/money.ts'
import { payOffline } from '../service/domain/collections.ts'
import { flatResult } from '../service/domain/callbacks.ts'
import { roleName } from '../service/domain/access.ts'
import { visibleTransaction } from '../service/domain/visible.ts'
import { channelView } from '../service/operations/views.ts'
import { makeName } from '../lib/random/people.ts'
import { readDuration, exactOrNull, exactTime } from '../service/domain/wire-time.ts'
import { cvcDigits, testCards } from '../service/domain/cards.ts'
import {
  respondToCheckout,
  cardsLeft,
  challengeOf,
  findCheckout,
  hasCheckout,
} from '../service/domain/checkout.ts'
import type { Look } from '../service/domain/context.ts'
import { waitsUntil } from '../service/domain/prompts.ts'
import type { Checkout } from '../generated/control/types.ts'
import type { Call } from '../http/handler.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { checkoutPath } from '../worlds/checkout-address.ts'

export const simulate = handlers(() => ({
  async acceptInvite({ world, request }) {
    const { token } = request.path
    const name = await makeName(world.random.fraction(`name ${token}`, 0))
    const { user, created, role_id, account_ids } = await world.change((tx) => acceptInvite(tx, token, name))
    const { id: user_id, first_name, last_name, email } = user
    const role = roleName(role_id)
    return ok({
      user_id,
      created,
      first_name,
      last_name,
      email,
      role_id,
      role,
      account_ids: [...account_ids],
    })
  },

  declineInvite: {
    change(tx, { request: { path } }) {
      const { token, status } = declineInvite(tx, path.token)
      return ok({ token, status })
    },
  },

  payOffline: { change: (tx, { request }) => ok(flatResult(payOffline(tx, request.body))) },

  simulateTransaction: {
    change(tx, { caller, request }) {
      const { outcome, reason, ...rest } = request.body
      noneLeft(rest)
      const row = visibleTransaction(tx, caller, request.path.reference)
      return ok(flatResult(simulateOutcome(tx, row, outcome, reason)))
    },
  },

  fundTeam: {
    change(tx, { caller, request: { path, body } }) {
      const { account_id, currency, posting, ...funded } = fundTeam(tx, caller, path.id, body)
      const [amount, balance] = [toMajor(funded.amount, currency), toMajor(funded.balance, currency)]
      return ok({ account_id, wallet: body.wallet, currency, amount, balance, posting })
    },
  },

  createChannel: {
    change: (tx, { caller, request }) => ({
      status: 201,
      body: { payment_channel: channelView(createChannel(tx, caller, request.body)) },
    }),
  },

  updateChannel: {
    change(tx, { caller, request }) {
      const { id } = request.path
      const { is_active, reactivate_after: after, ...rest } = request.body
      noneLeft(rest)
      if (is_active && after !== undefined) throw invalid('reactivate_after is only for is_active false')
      const again = after === undefined ? undefined : readDuration('reactivate_after', after)
      findChannel(tx, caller, id)
      if (is_active) setChannel(tx, id, true)
      else closeChannel(tx, id, again)
      return ok({ payment_channel: channelView(findChannel(tx, caller, id)) })
    },
  },
}))

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
