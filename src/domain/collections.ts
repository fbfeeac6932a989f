import type { TeamRow, TransactionRow } from '../store/rows.ts'
import { requireTeam } from './access.ts'
import { useChannel } from './channels.ts'
import type { Caller, Tx } from './context.ts'
import { costOf, requireCovers } from './costs.ts'
import { invalid } from './errors.ts'
import { readShillings, requireKenyan, requireNetworkCode, requireProvider } from './kenya.ts'
import { useAllowance } from './limits.ts'
import { toMinor } from './money.ts'
import { readKenyanMobile } from './phones.ts'
import type { Draft } from './transactions.ts'
import { accept } from './transactions.ts'

export interface Collection {
  /** Major units. */
  readonly amount: number
  readonly phone_number: string
  readonly provider: string
  readonly network_code?: string | undefined
  readonly channel_id?: number | undefined
  readonly account_id?: number | undefined
  readonly external_reference?: string | undefined
  readonly callback_url?: string | undefined
  readonly is_offline?: boolean | undefined
  /** Major units. */
  readonly merchant_fee?: number | undefined
}

/**
 * Accepts a legacy collection. `channel_id` makes it a channel collection, `network_code` a wallet collection;
 * an offline one may be either (specification 4.8).
 */
export function requestCollection(tx: Tx, caller: Caller, input: Collection): TransactionRow {
  const team = requireTeam(tx, caller, input.account_id, 'move_money')
  requireKenyan(team)
  requireRoute(input)
  requireProvider(input.provider)
  if (input.network_code !== undefined) requireNetworkCode(input.network_code)
  const party = readKenyanMobile(input.phone_number, 'phone_number')
  const amount = readShillings(input.amount)
  const cost = costOf(tx.settings.costs, amount, team.currency) + readMerchantFee(input, team)

  return collect(tx, team, input.channel_id, 'channel_id', {
    operation: 'createCollection',
    rail: 'momo',
    is_offline: input.is_offline ?? false,
    amount,
    cost,
    currency: team.currency,
    country: 'KE',
    provider: input.provider,
    party,
    external_reference: input.external_reference ?? '',
    callback_url: input.callback_url ?? '',
    redirect_url: '',
  })
}

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

function requireRoute({ channel_id, network_code, is_offline }: Collection): void {
  if (channel_id === undefined && network_code === undefined && !is_offline)
    throw invalid(
      'one of channel_id (into a payment channel), network_code (into the wallet) or is_offline: true is required',
    )
}

/** The merchant's fee is taken from an offline collection beside its cost; elsewhere it is ignored (assumed). */
function readMerchantFee({ is_offline, merchant_fee = 0 }: Collection, team: TeamRow): number {
  return is_offline ? toMinor(merchant_fee, team.currency, 'merchant_fee') : 0
}
