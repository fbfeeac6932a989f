import type { CreateGlobalPaymentBody } from '../../generated/service/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { requireAbility } from './access.ts'
import { collect } from './collections.ts'
import type { Caller, Tx } from './context.ts'
import { costOf } from './costs.ts'
import { Faults } from './faults.ts'
import { readGlobalPayment } from './global-values.ts'
import { payOut } from './payouts.ts'

/** Accepts a global pay-in or pay-out (specification 4.5; open-points, "Global payments"). */
export function requestGlobalPayment(tx: Tx, caller: Caller, input: CreateGlobalPaymentBody): TransactionRow {
  const faults = new Faults()
  const read = readGlobalPayment(tx, caller, input, faults)
  faults.throwAny()
  const { asked, missing, channel_id, amount, amount_to_save, country, party, network_name } = read
  if (missing) throw missing
  const team = requireAbility(asked, 'move_money')
  const { request_type, transaction_channel: rail, provider, currency, payment_config } = input
  const { reference = '', callback_url = '', redirect_url = '' } = payment_config
  const shared = {
    operation: 'createGlobalPayment',
    rail,
    amount,
    currency,
    country,
    provider,
    party,
    external_reference: reference,
    callback_url,
    redirect_url,
  } as const
  if (request_type === 'withdrawal') return payOut(tx, team, { amount_to_save, ...shared }, network_name)
  const cost = costOf(tx.settings.costs, amount, currency)
  const choice =
    channel_id === undefined
      ? undefined
      : { id: channel_id, field: 'vendor_config.channel_id', external: true }
  return collect(tx, team, choice, { is_offline: false, cost, ...shared }, network_name)
}
