import type { CreateCollectionBody } from '../generated/service/requests.ts'
import type { TeamRow, TransactionRow } from '../store/rows.ts'
import type { Draft } from '../store/transaction-row.ts'
import { requireTeam } from './access.ts'
import { useChannel } from './channels.ts'
import type { Caller, Tx } from './context.ts'
import { costOf, requireCovers } from './costs.ts'
import { invalid } from './errors.ts'
import { readShillings, requireKenyan, requireNetworkCode, requireProvider } from './kenya.ts'
import { useAllowance } from './limits.ts'
import { toMinor } from './money.ts'
import { readKenyanMobile } from './phones.ts'
import { noneLeft } from './request-fields.ts'
import { accept } from './transactions.ts'

/**
 * Accepts a legacy collection. `channel_id` makes it a channel collection, `network_code` a wallet collection;
 * an offline one may be either (specification 4.8).
 */
export function requestCollection(tx: Tx, caller: Caller, input: CreateCollectionBody): TransactionRow {
  const {
    account_id,
    amount: major,
    phone_number,
    provider,
    network_code,
    channel_id,
    external_reference = '',
    callback_url = '',
    is_offline = false,
    merchant_fee = 0,
    ...rest
  } = input
  noneLeft(rest)
  const team = requireTeam(tx, caller, account_id, 'move_money')
  requireKenyan(team)
  if (channel_id === undefined && network_code === undefined && !is_offline) throw invalid(NO_ROUTE)
  requireProvider(provider)
  if (network_code !== undefined) requireNetworkCode(network_code)
  const party = readKenyanMobile(phone_number, 'phone_number')
  const amount = readShillings(major)
  // The merchant's fee is taken from an offline collection beside its cost; elsewhere it is ignored (assumed).
  const fee = is_offline ? toMinor(merchant_fee, team.currency, 'merchant_fee') : 0

  return collect(tx, team, channel_id, 'channel_id', {
    operation: 'createCollection',
    rail: 'momo',
    is_offline,
    amount,
    cost: costOf(tx.settings.costs, amount, team.currency) + fee,
    currency: team.currency,
    country: 'KE',
    provider,
    party,
    external_reference,
    callback_url,
    redirect_url: '',
  })
}

const NO_ROUTE =
  'one of channel_id (into a payment channel), network_code (into the wallet) or is_offline: true is required'

/** What a pay-in of either endpoint is, before the rules they share. */
export type PayIn = Omit<Draft, 'direction' | 'account_id' | 'channel_id' | 'amount_to_save'>

/**
 * The rules that every pay-in meets, in the service's order: cost, channel, tier and limits.
 * @param channelField what the request calls the channel
 */
export function collect(
  tx: Tx,
  team: TeamRow,
  channel_id: number | undefined,
  channelField: string,
  payIn: PayIn,
): TransactionRow {
  const { amount, cost, currency } = payIn
  requireCovers(amount, cost, currency)
  const channel = channel_id === undefined ? undefined : useChannel(tx, team.id, channel_id, channelField)
  useAllowance(tx, team, { direction: 'payin', into_channel: channel !== undefined, amount, currency })
  return accept(tx, {
    direction: 'payin',
    account_id: team.id,
    channel_id: channel?.id ?? null,
    amount_to_save: 0,
    ...payIn,
  })
}
