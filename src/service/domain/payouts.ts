import type { CreateWithdrawalRequestInput } from '../../generated/service/requests.ts'
import type { Draft, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { requestedTeam, requireAbility } from './access.ts'
import { type Faults, faultless, noneLeft, type Readable } from './errors.ts'
import { readShillings, requireBankCode, requireKenyan, requireNetworkCode } from './collections.ts'
import { findBank, networkByCode, ke as kenya } from './countries/ke.ts'
import { requireNoDebt, useAllowance } from './wallets.ts'
import { isRealistic, type Caller, type Look, next, type Tx } from './context.ts'
import { accept } from './transactions.ts'
import { readKenyanMobile } from './countries/countries.ts'
import { costFor } from './costs.ts'
import { networkOf, requireAccount } from './countries/networks.ts'

/** Accepts a legacy withdrawal to a phone, paybill, till or bank (specification 4.9). */
export function requestWithdrawal(
  tx: Tx,
  caller: Caller,
  input: CreateWithdrawalRequestInput,
): TransactionRow {
  const { requested, payee, amount } = faultless((faults) => readWithdrawal(tx, caller, input, faults))
  const { external_reference, callback_url = '' } = input
  const { rail, provider, party } = payee
  const team = requireAbility(requested, 'move_money')

  const { currency } = team
  const network =
    rail === 'bank' ? findBank(input.network_code ?? '')?.name : networkByCode(input.network_code)
  const draft: Draft = {
    operation: 'createWithdrawal',
    direction: 'payout',
    rail,
    account_id: team.id,
    channel_id: null,
    is_offline: false,
    amount,
    cost: costFor(tx, { country: 'KE', rail, party, network }, amount, currency),
    amount_to_save: 0,
    currency,
    country: 'KE',
    provider,
    party,
    // Required except in the profile `lenient`.
    external_reference: external_reference ?? tx.random.uuid('own reference', next(tx, 'own_reference')),
    callback_url,
    redirect_url: '',
  }
  return payOut(tx, team, draft, network)
}

export function readWithdrawal(
  look: Look,
  caller: Caller,
  input: Readable<CreateWithdrawalRequestInput>,
  faults: Faults,
) {
  const { account_id, amount, external_reference, callback_url: _url, ...others } = input
  const { channel, recipient_type, phone_number, account_number, network_code, short_code, ...rest } = others
  noneLeft(rest)
  const requested = requestedTeam(look, caller, account_id)
  requireKenyan(faults, requested)
  faults.requireWords('external_reference', external_reference)
  const recipient = { channel, recipient_type, phone_number, account_number, network_code, short_code }
  const payee = readPayee(faults, recipient)
  if (look.settings.validation === 'documented' && destinationOf(recipient) === 'bank')
    faults.require('network_code', network_code ?? '', 'when channel is bank')
  if (isRealistic(look)) requirePayable(faults, recipient, payee)
  return { requested, payee, amount: readShillings(faults, amount) }
}

/**
 * Applies the rules of every payout: tier and limits, then the balance for amount and cost.
 * @param network_name - the recipient's network, if the request names it
 */
export function payOut(tx: Tx, team: TeamRow, draft: Draft, network_name?: string): TransactionRow {
  requireNoDebt(tx, team)
  useAllowance(tx, team, draft)
  return accept(tx, draft, network_name)
}

/** The fields that describe the recipient (specification 4.9; open-points, "Second look"). */
type Recipient = Pick<
  Readable<CreateWithdrawalRequestInput>,
  'channel' | 'recipient_type' | 'phone_number' | 'account_number' | 'network_code' | 'short_code'
>

type Destination = 'phone' | 'paybill' | 'till' | 'bank'

/** Returns the destination by `channel`; `recipient_type` may refine `phone` and `mobile`. */
export function destinationOf({
  channel,
  recipient_type,
}: {
  readonly channel?: unknown
  readonly recipient_type?: unknown
}): Destination {
  if (channel === 'bank' || channel === 'paybill' || channel === 'till') return channel
  if (recipient_type === 'TILL') return 'till'
  return recipient_type === 'PAYBILL' ? 'paybill' : 'phone'
}

/**
 * Returns the provider in results: the bank if known, otherwise the network of the phone, which is the one named or that
 * of its operator (names other than `m-pesa` are assumed).
 * @param party - the recipient, if known
 */
export function payoutProvider(destination: Destination, network_code: unknown, party?: unknown): string {
  const code = typeof network_code === 'string' ? network_code : undefined
  if (destination === 'bank') return (code === undefined ? undefined : findBank(code)?.provider) ?? 'bank'
  if (destination !== 'phone') return 'm-pesa'
  const phone = typeof party === 'string' ? party : ''
  const facts = networkOf({ country: 'KE', rail: 'momo', party: phone, network: networkByCode(code) })
  return facts?.name.toLowerCase().replace(' ', '-') ?? 'm-pesa'
}

interface Payee {
  readonly rail: 'momo' | 'bank'
  readonly provider: string
  /** A phone, an account, or `short_code#account_number` of a paybill. */
  readonly party: string
}

/** Reads the recipient of a withdrawal. */
function readPayee(faults: Faults, recipient: Recipient): Payee {
  const { channel, recipient_type, phone_number, network_code } = recipient
  const phone = readKenyanMobile(faults, 'phone_number', phone_number)
  // The recipient is ambiguous.
  if (faults.has('channel', 'recipient_type')) return { rail: 'momo', provider: '', party: '' }
  const destination = destinationOf(recipient)
  if (destination === 'bank') requireBankCode(faults, network_code)
  else requireNetworkCode(faults, network_code)
  if (recipient_type === 'MSISDN' && (channel === 'paybill' || channel === 'till'))
    faults.refuse('recipient_type', recipient_type, `must be PAYBILL or TILL when channel is ${channel}`)
  const party = partyOf(faults, destination, recipient, phone)
  return {
    rail: destination === 'bank' ? 'bank' : 'momo',
    provider: payoutProvider(destination, network_code, party),
    party,
  }
}

function partyOf(faults: Faults, destination: Destination, recipient: Recipient, phone: string): string {
  const { channel, recipient_type, phone_number, short_code = '', account_number = '' } = recipient
  if (destination === 'bank') {
    faults.require('account_number', account_number, 'when channel is bank')
    return account_number
  }
  if (destination === 'phone') {
    if (account_number) return readKenyanMobile(faults, 'account_number', account_number)
    faults.require('phone_number', phone_number, 'unless channel is bank, paybill or till')
    return phone
  }
  const said = channel === destination ? `channel is ${channel}` : `recipient_type is ${recipient_type}`
  faults.require('short_code', short_code, `when ${said}`)
  if (!/^\d{5,7}$/.test(short_code))
    faults.refuse('short_code', short_code, 'must be a till or paybill number of 5 to 7 digits')
  return destination === 'paybill' && account_number ? `${short_code}#${account_number}` : short_code
}

/** Applies the account formats of real banks. */
function requirePayable(faults: Faults, { network_code }: Recipient, { rail, party }: Payee): void {
  if (rail !== 'bank' || faults.has('account_number')) return
  const bank = network_code === undefined ? undefined : findBank(network_code)
  requireAccount(faults, 'account_number', party, kenya, bank?.name)
}
