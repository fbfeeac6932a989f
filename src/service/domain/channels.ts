import type { NewChannelRequest } from '../../generated/control/types.ts'
import type { Requests as ServiceRequests } from '../../generated/service/requests.ts'
import type { ChannelRow, TeamRow } from '../../storage/store/rows.ts'
import { membershipIn, requireTeam, teamsOf } from './access.ts'
import { addJob, type Caller, type Look, next, type Tx } from './context.ts'
import { Faults, invalid, noneLeft, notFound } from './errors.ts'
import { ke } from './countries/ke.ts'

/**
 * Returns a page of the channels of a Team, or of all Teams the caller sees, newest activity first; `page` starts at 1.
 */
export function listChannels(
  look: Look,
  caller: Caller,
  query: ServiceRequests['listPaymentChannels']['query'],
) {
  const { account_id, page, per, ...rest } = query
  noneLeft(rest)
  const own = account_id === undefined ? teamsOf(look, caller.user_id) : []
  // A user without a role in any Team cannot see the API key's default Team either.
  const ids =
    own.length > 0 ? own.map(({ team }) => team.id) : [requireTeam(look, caller, account_id, 'read').id]
  let count = 0
  for (const id of ids) count += look.rows.count('channels', 'activity', id)
  const skip = (page - 1) * per
  if (skip >= count) return { channels: [], count }
  const [only] = ids
  if (ids.length === 1) return { channels: newest(look, only!, skip, per), count }

  const merged: ChannelRow[] = []
  for (const id of ids) merged.push(...newest(look, id, 0, skip + per))
  merged.sort((a, b) => b.active_at - a.active_at || b.id - a.id)
  return { channels: merged.slice(skip, skip + per), count }
}

const newest = (look: Look, account_id: number, offset: number, limit: number) =>
  look.rows.walk('channels', 'activity', account_id, { offset, limit, newestFirst: true })

/** How a request names a channel. */
export interface ChannelField {
  readonly field: string
  /** Whether it must be outside of the service: a bank, paybill or till (specification 4.5). */
  readonly external: boolean
}

/**
 * Checks the Team's channel and updates its last activity.
 * @throws {ServiceError} 404 if the Team has no such channel, 400 if it has the wrong type or is not active
 * (specification 7)
 */
export function useChannel(tx: Tx, account_id: number, id: number, { field, external }: ChannelField): void {
  const channel = tx.rows.get('channels', id)
  if (!channel || channel.account_id !== account_id) throw notFound(field, id)
  if (external && channel.channel_type === 'wallet')
    throw invalid(`${field} must be a channel of type bank, paybill or till, got ${id}, which is a wallet`)
  if (!channel.is_active) throw invalid('passed channel is not active')
  tx.rows.put('channels', { ...channel, active_at: tx.now })
}

/** Returns the operator's transaction type for a channel (open-points, "Payment channels": observed). */
export const transactionTypeOf = (channel_type: ChannelRow['channel_type']) =>
  channel_type === 'paybill' || channel_type === 'bank' ? 'CustomerPayBillOnline' : 'CustomerBuyGoodsOnline'

/**
 * @throws {ServiceError} 404 if the caller cannot see the Team; 400 if the Team cannot have channels, or a bank has no
 * account
 */
export function createChannel(tx: Tx, caller: Caller, body: NewChannelRequest): ChannelRow {
  const { account_id, channel_type, short_code, account_number = '', description = '', ...others } = body
  const { is_active = true, ...rest } = others
  noneLeft(rest)
  const team = requireTeam(tx, caller, account_id, 'move_money')
  const faults = new Faults()
  requireChannels(faults, team)
  if (short_code.trim() === '') faults.refuse('short_code', short_code, 'must not be blank')
  if (channel_type === 'bank')
    faults.require('account_number', account_number.trim(), 'for channel_type bank')
  faults.throwAny()
  const channel: ChannelRow = {
    id: next(tx, 'channel'),
    account_id: team.id,
    transaction_type: transactionTypeOf(channel_type),
    channel_type,
    short_code,
    account_number,
    description,
    is_active,
    created_at: tx.now,
    updated_at: tx.now,
    active_at: tx.now,
  }
  tx.rows.insert('channels', channel)
  return channel
}

export function setChannel(tx: Tx, channel_id: number, is_active: boolean): void {
  const channel = tx.rows.get('channels', channel_id)
  if (!channel) return
  tx.rows.put('channels', { ...channel, is_active, updated_at: tx.now, active_at: tx.now })
}

export function findChannel(look: Look, caller: Caller, id: number): ChannelRow {
  const channel = look.rows.get('channels', id)
  if (!channel || !membershipIn(look, caller, channel.account_id)) throw notFound('channel', id)
  return channel
}

/**
 * Closes a channel if it is open.
 * @param reactivate_after - milliseconds until it opens again; undefined to leave it closed
 */
export function closeChannel(tx: Tx, channel_id: number, reactivate_after: number | undefined): void {
  const channel = tx.rows.get('channels', channel_id)
  if (!channel?.is_active) return
  setChannel(tx, channel_id, false)
  if (reactivate_after !== undefined)
    addJob(tx, reactivate_after, { kind: 'channel', channel_id, is_active: true })
}

function requireChannels(faults: Faults, { id, currency }: TeamRow): void {
  if (currency !== ke.currency)
    faults.add('account_id', `must be a Team that holds ${ke.currency}, got ${id}, which holds ${currency}`)
}
