/** Collections, and rules shared by the legacy, Kenya-based endpoints (specification 4.8, 4.9). */
import type { TeamRow } from '../../storage/store/rows.ts'
import { type RequestedTeam, requestedTeam, requireAbility } from './access.ts'
import { banks, findBank, ke as kenya, mobileNetworks, networkByCode } from './countries/ke.ts'
import { archivedHint } from './archive.ts'
import { allRead, type Faults, faultless, invalid, noneLeft, type Readable } from './errors.ts'
import { moneyText, readMoney, toMajor, toMinor } from './money.ts'
import { costFor, requireCovers } from './costs.ts'
import { requireWhole } from './countries/networks.ts'
import { readKenyanMobile } from './countries/countries.ts'
import type { PayOfflineRequest } from '../../generated/control/types.ts'
import type { CreateCollectionRequest } from '../../generated/service/types.ts'
import type { Draft, TransactionRow } from '../../storage/store/payment-rows.ts'
import { type ChannelField, useChannel } from './channels.ts'
import { isRealistic, type Caller, type Look, type Tx } from './context.ts'
import { useAllowance } from './wallets.ts'
import { simulate } from './reversals.ts'
import { accept, settle } from './transactions.ts'

const CURRENCY = kenya.currency
/** Minor units (open-points, "Legacy collection and withdrawal": observed). */
const LEAST = 100
const MOST = 15_000_000

export function requireKenyan(faults: Faults, { id, team }: RequestedTeam): void {
  if (team && team.currency !== CURRENCY)
    faults.add(
      'account_id',
      `must be a Team that holds ${CURRENCY}, got ${id}, which holds ${team.currency} (use POST /api/global/payments)`,
    )
}

/** Returns the amount in minor units, KES 1 to 150,000; 0 if it is invalid. */
export function readShillings(faults: Faults, amount: number | undefined): number {
  if (amount === undefined) return 0
  const within = amount >= toMajor(LEAST, CURRENCY) && amount <= toMajor(MOST, CURRENCY)
  if (within) return readMoney(faults, 'amount', amount, CURRENCY)
  faults.refuse(
    'amount',
    amount,
    `must be from ${moneyText(LEAST, CURRENCY)} to ${moneyText(MOST, CURRENCY)}`,
  )
  return 0
}

function requireProvider(faults: Faults, provider: string | undefined): void {
  const known = kenya.providers.momo
  if (provider !== undefined && !known.includes(provider)) faults.refuseWord('provider', provider, known)
}

export function requireNetworkCode(faults: Faults, network_code: string | undefined): void {
  if (network_code === undefined || mobileNetworks.some(({ code }) => code === network_code)) return
  faults.refuse('network_code', network_code, `must be one of ${listed(mobileNetworks)}`)
}

export function requireBankCode(faults: Faults, network_code: string | undefined): void {
  if (network_code === undefined || findBank(network_code)) return
  faults.refuse('network_code', network_code, `must be the code of a bank, one of ${listed(banks)}`)
}

const listed = (known: readonly { readonly code: string; readonly name: string }[]) =>
  known.map(({ code, name }) => `${code} (${name})`).join(', ')

/**
 * Accepts a legacy collection. `channel_id` makes it a channel collection, `network_code` a wallet collection; an
 * offline collection may be either (specification 4.8).
 */
export function requestCollection(tx: Tx, caller: Caller, input: CreateCollectionRequest): TransactionRow {
  const { requested, party, amount, fee, network_name } = faultless((faults) =>
    readCollection(tx, caller, input, faults),
  )
  const { provider, channel_id, external_reference = '', callback_url = '', is_offline = false } = input
  const team = requireAbility(requested, 'move_money')

  const { currency } = team
  const draft: Draft = {
    operation: 'createCollection',
    direction: 'payin',
    rail: 'momo',
    account_id: team.id,
    channel_id: channel_id ?? null,
    is_offline,
    amount,
    cost: costFor(tx, { country: 'KE', rail: 'momo', party, network: network_name }, amount, currency) + fee,
    amount_to_save: 0,
    currency,
    country: 'KE',
    provider,
    party,
    external_reference,
    callback_url,
    redirect_url: '',
  }
  return collect(tx, team, draft, { field: 'channel_id', external: false }, network_name)
}

export function readCollection(
  look: Look,
  caller: Caller,
  input: Readable<CreateCollectionRequest>,
  faults: Faults,
) {
  const {
    account_id,
    amount,
    phone_number,
    provider,
    network_code,
    channel_id,
    external_reference,
    is_offline,
    merchant_fee,
  } = input
  allRead<
    Exclude<
      keyof CreateCollectionRequest,
      | 'account_id'
      | 'amount'
      | 'phone_number'
      | 'provider'
      | 'network_code'
      | 'channel_id'
      | 'external_reference'
      | 'callback_url'
      | 'is_offline'
      | 'merchant_fee'
    >
  >()
  const requested = requestedTeam(look, caller, account_id)
  requireKenyan(faults, requested)
  if (channel_id === undefined && network_code === undefined && !is_offline) requireRoute(faults)
  requireProvider(faults, provider)
  requireNetworkCode(faults, network_code)
  faults.requireWords('external_reference', external_reference)
  const network_name = networkByCode(network_code, provider)
  if (isRealistic(look)) requireWhole(faults, amount, kenya, network_name, 'payin')
  return {
    requested,
    party: readKenyanMobile(faults, 'phone_number', phone_number),
    amount: readShillings(faults, amount),
    network_name,
    // Offline collections deduct the merchant's fee along with the cost; others ignore it (assumed).
    fee: is_offline ? readMoney(faults, 'merchant_fee', merchant_fee, 'KES') : 0,
  }
}

function requireRoute(faults: Faults): void {
  if (!faults.has('channel_id', 'network_code', 'is_offline'))
    faults.add(
      'one of channel_id (into a payment channel), network_code (into the wallet) or is_offline: true',
      'is required',
    )
}

/**
 * Applies the rules of every pay-in in the service's order: cost, channel, tier and limits.
 * @param channels - which channels it may settle into
 * @param network_name - the payer's network, if the request names it
 */
export function collect(
  tx: Tx,
  team: TeamRow,
  draft: Draft,
  channels: ChannelField,
  network_name?: string,
): TransactionRow {
  const { amount, cost, currency, channel_id } = draft
  requireCovers(amount, cost, currency)
  if (channel_id !== null) useChannel(tx, team.id, channel_id, channels)
  useAllowance(tx, team, draft, channel_id !== null)
  return accept(tx, draft, network_name)
}

const PAYBILL = '756756'
const ACCOUNT = /^553125#(\d+|ws_CO_\d+)$/

/**
 * Pays an offline collection with the data that the customer types into the phone (specification 4.8), and settles it.
 * @param from - the phone that pays, if known
 * @throws {ServiceError} 400 for another paybill, a wrong account, a second payment or a different amount
 */
export function payOffline(
  tx: Tx,
  { paybill, account, amount, ...rest }: PayOfflineRequest,
  from?: string,
): TransactionRow {
  noneLeft(rest)
  if (paybill !== PAYBILL) throw invalid(`paybill must be ${PAYBILL}, got "${paybill}"`)
  const id = ACCOUNT.exec(account)?.[1]
  if (id === undefined) throw invalid(`account must be 553125#<CheckoutRequestID>, got "${account}"`)
  const row = tx.rows
    .find('transactions', 'identifier', id)
    .find((each) => each.checkout_request_id === id && each.is_offline)
  if (!row) {
    const why = archivedHint(tx, id) ?? ''
    throw invalid(`account "${account}" belongs to no offline collection${why}`)
  }
  if (isRealistic(tx)) return bookPaid(tx, row, toMinor(amount, row.currency))
  if (row.status !== 'QUEUED')
    throw invalid(
      `account "${account}" is of a collection that is ${row.status}; only a QUEUED one can be paid`,
    )
  if (toMinor(amount, row.currency) !== row.amount) {
    const asked = moneyText(row.amount, row.currency)
    throw invalid(`amount must be the amount of the collection, ${asked}, got ${amount}`)
  }
  if (from !== undefined && from !== row.party) tx.rows.put('transactions', { ...row, paid_by: from })
  settle(tx, row.id, 'SUCCESS', null)
  return tx.rows.get('transactions', row.id)!
}

/**
 * Books a payment as a real paybill does, where the money moves before anything is compared: a different amount, an
 * expired collection, or a second payment, which becomes a transaction of its own (assumed).
 * @throws {ServiceError} 400 if the amount is below the cost, or the collection was reversed
 */
function bookPaid(tx: Tx, row: TransactionRow, amount: number): TransactionRow {
  requireCovers(amount, row.cost, row.currency)
  if (row.status === 'SUCCESS') {
    const { id } = accept(tx, { ...row, amount })
    settle(tx, id, 'SUCCESS', null)
    return tx.rows.get('transactions', id)!
  }
  const paid = { ...row, amount }
  tx.rows.put('transactions', paid)
  return simulate(tx, paid, 'success', undefined)
}
