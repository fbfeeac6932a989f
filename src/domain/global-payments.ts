import type {
  CreateGlobalPaymentBody,
  CustomerInput,
  ProviderConfigInput,
} from '../generated/service/requests.ts'
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
import { noneLeft } from './request-fields.ts'

type RequestType = CreateGlobalPaymentBody['request_type']

/** Accepts a global pay-in or pay-out (specification 4.5; open-points, "Global payments"). */
export function requestGlobalPayment(tx: Tx, caller: Caller, input: CreateGlobalPaymentBody): TransactionRow {
  const {
    request_type,
    transaction_channel: rail,
    provider,
    amount: major,
    currency,
    country: code,
    customer,
    vendor_config: { vendor_id, channel_id, ...vendor } = {},
    provider_config,
    payment_config: { account_number, reference = '', callback_url = '', redirect_url = '', ...config },
    payment_split: { amount_to_save, ...split } = {},
    ...rest
  } = input
  noneLeft(rest, vendor, config, split)
  const country = requireCountry(code)
  const network = readNetwork(country, rail, provider, provider_config)
  if (currency !== country.currency)
    throw invalid(`currency "${currency}" is not used in ${country.code}; it must be ${country.currency}`)
  requireIdentity(customer, rail, request_type, country)
  if (channel_id !== undefined && (country.code !== 'KE' || request_type !== 'payment'))
    throw invalid(`vendor_config.channel_id ${channel_id} applies only to collections in KE; leave it out`)
  const team = requireTeam(tx, caller, vendor_id, 'move_money', 'vendor_config.vendor_id')
  const amount = readAmount(major, currency, network)
  const shared = {
    operation: 'createGlobalPayment',
    rail,
    amount,
    currency,
    country: country.code,
    provider,
    party: readParty(account_number, rail, country),
    external_reference: reference,
    callback_url,
    redirect_url: readRedirect(redirect_url),
  } as const
  if (request_type === 'withdrawal')
    return payOut(tx, team, { amount_to_save: readSavings(amount_to_save, currency, amount), ...shared })
  const cost = costOf(tx.settings.costs, amount, currency)
  if (channel_id !== undefined) requireHomeCurrency(team, country)
  return collect(tx, team, channel_id, 'vendor_config.channel_id', { is_offline: false, cost, ...shared })
}

/** The network of a payment; every field that the request sends of it must be that network's. */
function readNetwork(
  country: Country,
  rail: Rail,
  provider: string,
  sent: ProviderConfigInput = {},
): Network {
  const { network_id, network_code, provider_id, account_type, ...rest } = sent
  noneLeft(rest)
  const network = requireNetwork(country, rail, provider, network_id)
  const own = (field: 'network_code' | 'provider_id' | 'account_type', value: string | undefined) => {
    if (value !== undefined && value !== network[field])
      throw invalid(
        `provider_config.${field} "${value}" is not that of network ${network.network_id}, which is ${network[field]}`,
      )
  }
  own('network_code', network_code)
  own('provider_id', provider_id)
  own('account_type', account_type)
  return network
}

function readAmount(amount: number, currency: string, network: Network): number {
  const { min_amount, max_amount, network_name } = network
  if (amount < min_amount || amount > max_amount)
    throw invalid(
      `amount ${amount} must be from ${min_amount} to ${max_amount} ${currency} on ${network_name}`,
    )
  return toMinor(amount, currency)
}

/** Banks ask for the date of birth, some payout corridors for the fund owner's document (specification 4.5). */
function requireIdentity(
  customer: CustomerInput,
  rail: Rail,
  request_type: RequestType,
  country: Country,
): void {
  const { dob, id_type, id_number, ...rest } = customer
  noneLeft(rest)
  if (rail === 'bank' && !dob) throw invalid('customer.dob is required on the bank rail')
  if (request_type !== 'withdrawal' || !country.identifies_payout_owner) return
  const missing = [!id_type && 'customer.id_type', !id_number && 'customer.id_number'].filter(Boolean)
  if (missing.length > 0) throw invalid(`${missing.join(' and ')} required for payouts in ${country.code}`)
}

/** What a name can be; URLs take more, such as `;`, that means something in a page's policy. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i

/** Where the payer is sent back to; payouts may leave it empty. */
function readRedirect(redirect_url: string): string {
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

function readParty(account_number: string, rail: Rail, country: Country): string {
  if (rail === 'momo') return readMobile(account_number, country, 'payment_config.account_number')
  if (account_number.trim() === '') throw invalid('payment_config.account_number must not be empty')
  return account_number.trim()
}

function readSavings(saved: number | undefined, currency: string, amount: number): number {
  if (saved === undefined) return 0
  const minor = toMinor(saved, currency, 'payment_split.amount_to_save')
  if (minor < 0 || minor > amount)
    throw invalid(`payment_split.amount_to_save ${saved} must be from 0 to the amount`)
  return minor
}
