/** What is done by others than the caller: invitees, customers at a paybill, reviewers, operators. */
import { simulate } from '../domain/afterwards.ts'
import { closeChannel, findChannel, setChannel } from '../domain/channels.ts'
import { invalid } from '../domain/errors.ts'
import { acceptInvite, declineInvite } from '../domain/invites.ts'
import { findKyc, reviewByHand } from '../domain/kyc.ts'
import { payOffline } from '../domain/offline.ts'
import { flatResult } from '../domain/results.ts'
import { roleName } from '../domain/roles.ts'
import { findTransaction } from '../domain/transactions.ts'
import { wireTime } from '../domain/wire-time.ts'
import { channelView } from '../operations/views.ts'
import { makeName } from '../random/people.ts'
import type { KycRow } from '../store/rows.ts'
import type { ControlHandlers } from './handlers.ts'
import { readDuration } from './read.ts'

export const others: Pick<
  ControlHandlers,
  | 'acceptInvite'
  | 'declineInvite'
  | 'payOffline'
  | 'simulateTransaction'
  | 'getKycReview'
  | 'reviewKyc'
  | 'updateChannel'
> = {
  async acceptInvite(c) {
    const { world } = c.var
    const { token } = c.req.valid('param')
    const name = await makeName(world.random.fraction(`name ${token}`, 0))
    const { user, created, role_id, account_ids } = await world.change((tx) => acceptInvite(tx, token, name))
    const { id: user_id, first_name, last_name, email } = user
    const role = roleName(role_id)
    return c.json(
      { user_id, created, first_name, last_name, email, role_id, role, account_ids: [...account_ids] },
      200,
    )
  },

  async declineInvite(c) {
    const { token } = c.req.valid('param')
    const { status } = await c.var.world.change((tx) => declineInvite(tx, token))
    return c.json({ token, status }, 200)
  },

  async payOffline(c) {
    const payment = c.req.valid('json')
    return c.json(flatResult(await c.var.world.change((tx) => payOffline(tx, payment))), 200)
  },

  async simulateTransaction(c) {
    const { world, caller } = c.var
    const { reference } = c.req.valid('param')
    const { outcome, reason } = c.req.valid('json')
    const row = await world.change((tx) =>
      simulate(tx, findTransaction(tx, caller, reference), outcome, reason),
    )
    return c.json(flatResult(row), 200)
  },

  async getKycReview(c) {
    const { world, caller } = c.var
    const { id } = c.req.valid('param')
    return c.json(reviewView(await world.read((look) => findKyc(look, caller, id))), 200)
  },

  async reviewKyc(c) {
    const { world, caller } = c.var
    const { id } = c.req.valid('param')
    const review = c.req.valid('json')
    return c.json(reviewView(await world.change((tx) => reviewByHand(tx, caller, id, review))), 200)
  },

  async updateChannel(c) {
    const { world, caller } = c.var
    const { id } = c.req.valid('param')
    const { is_active, reactivate_after } = c.req.valid('json')
    if (is_active && reactivate_after !== undefined)
      throw invalid('reactivate_after is only for is_active false')
    const again =
      reactivate_after === undefined ? undefined : readDuration('reactivate_after', reactivate_after)
    const channel = await world.change((tx) => {
      findChannel(tx, caller, id)
      if (is_active) setChannel(tx, id, true)
      else closeChannel(tx, id, again)
      return findChannel(tx, caller, id)
    })
    return c.json({ payment_channel: channelView(channel) }, 200)
  },
}

const reviewView = ({ id, account_id, status, details, reasons = [], updated_at }: KycRow) => ({
  id,
  account_id,
  status,
  kyc_tier: details.kyc_tier ?? null,
  reasons: [...reasons],
  updated_at: wireTime(updated_at),
})
