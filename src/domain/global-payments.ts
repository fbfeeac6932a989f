import type { TeamRow, TransactionRow } from '../store/rows.ts'
import { requireTeam } from './access.ts'
import { collect } from './collections.ts'
import type { Caller, Tx } from './context.ts'
import { costOf } from './costs.ts'
import { requireCountry, requireNetwork } from './countries/countries.ts'
import type { Country, Network, Rail } from './countries/country.ts'
import { invalid } from './errors.ts'
import { toMinor } from './money.ts'
import { payOut } from './payouts.ts'
import { readMobile } from './phones.ts'

type Text = string | undefined

export interface GlobalPayment {
  readonly request_type: 'payment' | 'withdrawal'
  readonly transaction_channel: Rail
  readonly provider: string
  /** Major units. */
  readonly amount: number
  readonly currency: string
  readonly country: string
  readonly customer: { readonly dob?: Text; readonly id_type?: Text; readonly id_number?: Text }
  readonly vendor_config?:
    { readonly vendor_id?: number | undefined; readonly channel_id?: number | undefined } | undefined
  readonly provider_config?:
    | {
        readonly network_id?: Text
        readonly network_code?: Text
        readonly provider_id?: Text
        readonly account_type?: Text
      }
    | undefined
  readonly payment_config: {
    readonly account_number: string
    readonly reference?: Text
    readonly callback_url?: Text
    readonly redirect_url?: Text
  }
  readonly payment_split?: { readonly amount_to_save?: number | undefined } | undefined
}

/** Accepts a global pay-in or pay-out (specification 4.5; open-points, "Global payments"). */
export function requestGlobalPayment(tx: Tx, caller: Caller, input: GlobalPayment): TransactionRow {
  const country = requireCountry(input.country)
  const network = readNetwork(input, country)
  requireIdentity(input, country)
  const channel_id = readChannel(input, country)
  const team = requireTeam(
    tx,
    caller,
    input.vendor_config?.vendor_id,
    'move_money',
    'vendor_config.vendor_id',
  )
  const amount = readAmount(input, network)
  const { account_number, reference, callback_url } = input.payment_config
  const shared = {
    operation: 'createGlobalPayment',
    rail: input.transaction_channel,
    amount,
    currency: country.currency,
    country: country.code,
    provider: input.provider,
    party: readParty(input, country, account_number),
    external_reference: reference ?? '',
    callback_url: callback_url ?? '',
    redirect_url: readRedirect(input),
  } as const
  if (input.request_type === 'withdrawal')
    return payOut(tx, team, { amount_to_save: readSavings(input, amount), ...shared })
  const cost = costOf(tx.settings.costs, amount, country.currency)
  if (channel_id !== undefined) requireHomeCurrency(team, country)
  return collect(tx, team, channel_id, 'vendor_config.channel_id', { is_offline: false, cost, ...shared })
}

function readNetwork(
  { transaction_channel, provider, provider_config, currency }: GlobalPayment,
  country: Country,
) {
  const network = requireNetwork(country, transaction_channel, provider, provider_config?.network_id)
  for (const field of ['network_code', 'provider_id', 'account_type'] as const) {
    const sent = provider_config?.[field]
    if (sent !== undefined && sent !== network[field])
      throw invalid(
        `provider_config.${field} "${sent}" is not that of network ${network.network_id}, which is ${network[field]}`,
      )
  }
  if (currency !== country.currency)
    throw invalid(`currency "${currency}" is not used in ${country.code}; it must be ${country.currency}`)
  return network
}

function readAmount(
  { amount, currency }: GlobalPayment,
  { min_amount, max_amount, network_name }: Network,
): number {
  if (amount < min_amount || amount > max_amount)
    throw invalid(
      `amount ${amount} must be from ${min_amount} to ${max_amount} ${currency} on ${network_name}`,
    )
  return toMinor(amount, currency)
}

/** Banks ask for the date of birth, some payout corridors for the fund owner's document (specification 4.5). */
function requireIdentity(
  { customer, transaction_channel, request_type }: GlobalPayment,
  country: Country,
): void {
  if (transaction_channel === 'bank' && !customer.dob)
    throw invalid('customer.dob is required on the bank rail')
  if (request_type !== 'withdrawal' || !country.identifies_payout_owner) return
  const missing = (['id_type', 'id_number'] as const).filter((field) => !customer[field])
  if (missing.length > 0)
    throw invalid(
      `${missing.map((field) => `customer.${field}`).join(' and ')} required for payouts in ${country.code}`,
    )
}

/** A channel takes Kenya-based pay-ins only (specification 4.5, `vendor_config`). */
function readChannel({ vendor_config, request_type }: GlobalPayment, country: Country): number | undefined {
  const channel_id = vendor_config?.channel_id
  if (channel_id !== undefined && (country.code !== 'KE' || request_type !== 'payment'))
    throw invalid(`vendor_config.channel_id ${channel_id} applies only to collections in KE; leave it out`)
  return channel_id
}

/** What a name can be; URLs take more, such as `;`, that means something in a page's policy. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i

/** Where the payer is sent back to; payouts may leave it empty. */
function readRedirect({ payment_config }: GlobalPayment): string {
  const { redirect_url = '' } = payment_config
  if (redirect_url === '') return redirect_url
  const { protocol = '', hostname = '' } = URL.parse(redirect_url) ?? {}
  if (/^https?:$/.test(protocol)) {
    if (HOST.test(hostname)) return redirect_url
    throw invalid(
      `payment_config.redirect_url "${redirect_url}" has the host "${hostname}"; a host is letters, digits, hyphens and dots, or an address`,
    )
  }
  throw invalid(`payment_config.redirect_url "${redirect_url}" must be an http or https URL, or empty`)
}

function requireHomeCurrency(team: TeamRow, country: Country): void {
  if (team.currency !== country.currency)
    throw invalid(
      `vendor_config.vendor_id ${team.id} holds ${team.currency} and has no ${country.currency} channels`,
    )
}

function readParty({ transaction_channel }: GlobalPayment, country: Country, account_number: string): string {
  if (transaction_channel === 'momo')
    return readMobile(account_number, country, 'payment_config.account_number')
  if (account_number.trim() === '') throw invalid('payment_config.account_number must not be empty')
  return account_number.trim()
}

function readSavings({ payment_split, currency }: GlobalPayment, amount: number): number {
  const saved = payment_split?.amount_to_save
  if (saved === undefined) return 0
  const minor = toMinor(saved, currency, 'payment_split.amount_to_save')
  if (minor < 0 || minor > amount)
    throw invalid(`payment_split.amount_to_save ${saved} must be from 0 to the amount`)
  return minor
}
