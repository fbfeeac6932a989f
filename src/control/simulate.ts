/** Actions of people other than the caller: invitees, customers at a paybill, reviewers, operators. */
import { handlers, ok } from './page.ts'
import { simulate as simulateOutcome } from '../service/domain/reversals.ts'
import { closeChannel, createChannel, findChannel, setChannel } from '../service/domain/channels.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { fundTeam } from '../service/domain/funding.ts'
import { acceptInvite, declineInvite } from '../service/domain/members.ts'
import { toMajor } from '../service/domain/money.ts'
import { payOffline } from '../service/domain/offline.ts'
import { flatResult } from '../service/domain/callbacks.ts'
import { roleName } from '../service/domain/access.ts'
import { visibleTransaction } from '../service/domain/visible.ts'
import { channelView } from '../service/operations/views.ts'
import { makeName } from '../lib/random/people.ts'
import { readDuration } from '../service/domain/wire-time.ts'

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

  async declineInvite({ request, world }) {
    const { token } = request.path
    const { status } = await world.change((tx) => declineInvite(tx, token))
    return ok({ token, status })
  },

  async payOffline({ request, world }) {
    const payment = request.body
    return ok(flatResult(await world.change((tx) => payOffline(tx, payment))))
  },

  async simulateTransaction({ world, caller, request }) {
    const { reference } = request.path
    const { outcome, reason, ...rest } = request.body
    noneLeft(rest)
    const row = await world.change((tx) =>
      simulateOutcome(tx, visibleTransaction(tx, caller, reference), outcome, reason),
    )
    return ok(flatResult(row))
  },

  async fundTeam({ world, caller, request }) {
    const funded = await world.change((tx) => fundTeam(tx, caller, request.path.id, request.body))
    const { account_id, currency, amount, balance, posting } = funded
    return ok({
      account_id,
      wallet: request.body.wallet,
      currency,
      amount: toMajor(amount, currency),
      balance: toMajor(balance, currency),
      posting,
    })
  },

  async createChannel({ world, caller, request }) {
    const channel = await world.change((tx) => createChannel(tx, caller, request.body))
    return { status: 201, body: { payment_channel: channelView(channel) } }
  },

  async updateChannel({ world, caller, request }) {
    const { id } = request.path
    const { is_active, reactivate_after, ...rest } = request.body
    noneLeft(rest)
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
    return ok({ payment_channel: channelView(channel) })
  },
}))
