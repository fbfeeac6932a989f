import type { CreateWithdrawalBody } from '../../generated/service/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import type { Draft } from '../../storage/store/payment-rows.ts'
import { askedTeam, requireAbility } from './access.ts'
import type { Caller, Look, Tx } from './context.ts'
import { costOf } from './costs.ts'
import { next } from './counters.ts'
import { Faults, type Readable } from './faults.ts'
import { readShillings, requireKenyan } from './kenya.ts'
import { useAllowance } from './limits.ts'
import { networkOf } from './kenyan-codes.ts'
import { readPayee, requirePayable } from './payees.ts'
import { isRealistic } from './realism/chosen.ts'
import { noneLeft } from './request-fields.ts'
import { accept } from './transactions.ts'

/** Accepts a legacy withdrawal to a phone, a paybill, a till or a bank (specification 4.9). */
export function requestWithdrawal(tx: Tx, caller: Caller, input: CreateWithdrawalBody): TransactionRow {
  const faults = new Faults()
  const { asked, payee, amount } = readWithdrawal(tx, caller, input, faults)
  faults.throwAny()
  const { external_reference, callback_url = '' } = input
  const { rail, provider, party } = payee
  const team = requireAbility(asked, 'move_money')

  const payout: PayOut = {
    operation: 'createWithdrawal',
    rail,
    amount,
    amount_to_save: 0,
    currency: team.currency,
    country: 'KE',
    provider,
    party,
    // Only the profile `lenient` takes one without.
    external_reference: external_reference ?? tx.random.uuid('own reference', next(tx, 'own_reference')),
    callback_url,
    redirect_url: '',
  }
  return payOut(tx, team, payout, networkOf(input.network_code))
}

/** What a withdrawal's values come to; what is wrong with them goes to `faults`. */
export function readWithdrawal(
  look: Look,
  caller: Caller,
  input: Readable<CreateWithdrawalBody>,
  faults: Faults,
) {
  const { account_id, amount, external_reference, callback_url: _url, ...others } = input
  const { channel, recipient_type, phone_number, account_number, network_code, short_code, ...rest } = others
  noneLeft(rest)
  const asked = askedTeam(look, caller, account_id)
  requireKenyan(faults, asked)
  faults.requireWords('external_reference', external_reference)
  const recipient = { channel, recipient_type, phone_number, account_number, network_code, short_code }
  const payee = readPayee(faults, recipient)
  if (isRealistic(look)) requirePayable(faults, recipient, payee)
  return { asked, payee, amount: readShillings(faults, amount) }
}

/** What a payout of either endpoint is, before the rules they share. */
export type PayOut = Omit<Draft, 'direction' | 'account_id' | 'channel_id' | 'is_offline' | 'cost'>

/**
 * The rules that every payout meets: tier and limits, then the balance for amount and cost.
 * @param network_name the network of the recipient, where the request names one
 */
export function payOut(tx: Tx, team: TeamRow, payout: PayOut, network_name?: string): TransactionRow {
  const { amount, currency } = payout
  useAllowance(tx, team, { direction: 'payout', into_channel: false, amount, currency })
  const cost = costOf(tx.settings.costs, amount, currency)
  const draft: Draft = {
    direction: 'payout',
    account_id: team.id,
    channel_id: null,
    is_offline: false,
    cost,
    ...payout,
  }
  return accept(tx, draft, network_name)
}
