import type { TeamRow, TransactionRow } from '../store/rows.ts'
import { requireTeam } from './access.ts'
import type { Caller, Tx } from './context.ts'
import { costOf } from './costs.ts'
import { invalid } from './errors.ts'
import { readShillings, requireKenyan, requireNetworkCode } from './kenya.ts'
import { useAllowance } from './limits.ts'
import { readKenyanMobile } from './phones.ts'
import type { Draft } from './transactions.ts'
import { accept } from './transactions.ts'

export interface Withdrawal {
  readonly external_reference: string
  readonly account_id?: number | undefined
  /** Major units. */
  readonly amount: number
  readonly phone_number: string
  readonly channel: 'phone' | 'mobile' | 'bank'
  readonly recipient_type?: 'MSISDN' | 'PAYBILL' | undefined
  readonly account_number?: string | undefined
  readonly network_code?: string | undefined
  readonly short_code?: string | undefined
  readonly callback_url?: string | undefined
}

/** Accepts a legacy withdrawal to a phone, a paybill or a till (specification 4.9). */
export function requestWithdrawal(tx: Tx, caller: Caller, input: Withdrawal): TransactionRow {
  const team = requireTeam(tx, caller, input.account_id, 'move_money')
  requireKenyan(team)
  if (input.network_code !== undefined) requireNetworkCode(input.network_code)
  const phone = readKenyanMobile(input.phone_number, 'phone_number')
  const party = recipientOf(input, phone)
  const amount = readShillings(input.amount)

  return payOut(tx, team, {
    operation: 'createWithdrawal',
    rail: input.channel === 'bank' ? 'bank' : 'momo',
    amount,
    amount_to_save: 0,
    currency: team.currency,
    country: 'KE',
    provider: 'm-pesa',
    party,
    external_reference: input.external_reference,
    callback_url: input.callback_url ?? '',
    redirect_url: '',
  })
}

/** What a payout of either endpoint is, before the rules they share. */
export type PayOut = Omit<Draft, 'direction' | 'account_id' | 'channel_id' | 'is_offline' | 'cost'>

/** The rules that every payout meets: tier and limits, then the balance for amount and cost. */
export function payOut(tx: Tx, team: TeamRow, payout: PayOut): TransactionRow {
  const { amount, currency } = payout
  useAllowance(tx, team, { direction: 'payout', into_channel: false, amount, currency })
  return accept(tx, {
    direction: 'payout',
    account_id: team.id,
    channel_id: null,
    is_offline: false,
    cost: costOf(tx.settings.costs, amount, currency),
    ...payout,
  })
}

/** Who is paid: the phone, `short_code` for a till, or `short_code` with `account_number` for a paybill. */
function recipientOf(input: Withdrawal, phone: string): string {
  const { recipient_type = 'MSISDN', channel, short_code, account_number } = input
  if (recipient_type === 'PAYBILL') {
    if (!short_code) throw invalid('short_code is required when recipient_type is PAYBILL')
    if (!/^\d{5,7}$/.test(short_code))
      throw invalid(`short_code "${short_code}" must be a till or paybill number of 5 to 7 digits`)
    return account_number ? `${short_code}#${account_number}` : short_code
  }
  if (channel === 'bank') {
    if (!account_number) throw invalid('account_number is required when channel is bank')
    return account_number
  }
  return account_number ? readKenyanMobile(account_number, 'account_number') : phone
}
