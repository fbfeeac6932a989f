import type { CreateWithdrawalBody } from '../generated/service/requests.ts'
import type { TeamRow, TransactionRow } from '../store/rows.ts'
import type { Draft } from '../store/transaction-row.ts'
import { requireTeam } from './access.ts'
import type { Caller, Tx } from './context.ts'
import { costOf } from './costs.ts'
import { invalid } from './errors.ts'
import { readShillings, requireKenyan, requireNetworkCode } from './kenya.ts'
import { useAllowance } from './limits.ts'
import { readKenyanMobile } from './phones.ts'
import { noneLeft } from './request-fields.ts'
import { accept } from './transactions.ts'

/** Accepts a legacy withdrawal to a phone, a paybill or a till (specification 4.9). */
export function requestWithdrawal(tx: Tx, caller: Caller, input: CreateWithdrawalBody): TransactionRow {
  const {
    account_id,
    amount: major,
    phone_number,
    channel,
    recipient_type,
    account_number,
    network_code,
    short_code,
    external_reference,
    callback_url = '',
    ...rest
  } = input
  noneLeft(rest)
  const team = requireTeam(tx, caller, account_id, 'move_money')
  requireKenyan(team)
  if (network_code !== undefined) requireNetworkCode(network_code)
  const phone = readKenyanMobile(phone_number, 'phone_number')
  const party = recipientOf({ channel, recipient_type, account_number, short_code }, phone)
  const amount = readShillings(major)

  return payOut(tx, team, {
    operation: 'createWithdrawal',
    rail: channel === 'bank' ? 'bank' : 'momo',
    amount,
    amount_to_save: 0,
    currency: team.currency,
    country: 'KE',
    provider: 'm-pesa',
    party,
    external_reference,
    callback_url,
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

type Recipient = Pick<CreateWithdrawalBody, 'channel' | 'recipient_type' | 'account_number' | 'short_code'>

/** Who is paid: the phone, `short_code` for a till, or `short_code` with `account_number` for a paybill. */
function recipientOf(recipient: Recipient, phone: string): string {
  const { recipient_type = 'MSISDN', channel, short_code, account_number } = recipient
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
