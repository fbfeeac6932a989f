import { type Faults, faultless, noneLeft, notFound, type Readable, ServiceError } from './errors.ts'
import type {
  CreateGlobalPaymentRequestInput,
  CustomerInput,
  ProviderConfigInput,
} from '../../generated/service/requests.ts'
import type { Draft, TransactionRow } from '../../storage/store/payment-rows.ts'
import { requestedTeam, type RequestedTeam, requireAbility } from './access.ts'
import { collect } from './collections.ts'
import { moneyText, readMoney, toMinor } from './money.ts'
import { networksOf, isMobile, requireAccount, requireWhole } from './countries/networks.ts'
import { readCountry, readMobile } from './countries/countries.ts'
import type { Country, Network } from './countries/country.ts'
import { costFor } from './costs.ts'
import { payOut } from './payouts.ts'
import { isRail, type Rail, railNames, rails } from '../vocabulary/rails.ts'
import { type Caller, isRealistic, type Look, type Tx } from './context.ts'
import { mobileNetworks } from './countries/ke.ts'

/** ISO 3166-1 alpha-2, officially assigned. */
const assigned: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT
  JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
  MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY
  QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
  TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)

const isCountryCode = (text: string): boolean => assigned.has(text.toUpperCase())

export function checkCountryCode(faults: Faults, field: string, code: string | undefined): void {
  if (code !== undefined && !isCountryCode(code))
    faults.refuse(field, code, 'must be an ISO 3166-1 alpha-2 code, such as KE')
}

/** Accepts a global pay-in or pay-out (specification 4.5; open-points, "Global payments"). */
export function requestGlobalPayment(
  tx: Tx,
  caller: Caller,
  input: CreateGlobalPaymentRequestInput,
): TransactionRow {
  const { requested, missing, channel_id, amount, amount_to_save, country, party, network_name } = faultless(
    (faults) => readGlobalPayment(tx, caller, input, faults),
  )
  if (missing) throw missing
  const team = requireAbility(requested, 'move_money')
  const { request_type, transaction_channel: rail, provider, currency, payment_config } = input
  const { reference = '', callback_url = '', redirect_url = '' } = payment_config
  const draft: Draft = {
    operation: 'createGlobalPayment',
    direction: request_type === 'withdrawal' ? 'payout' : 'payin',
    rail,
    account_id: team.id,
    channel_id: channel_id ?? null,
    is_offline: false,
    amount,
    cost: costFor(tx, { country, rail, party, network: network_name }, amount, currency),
    amount_to_save,
    currency,
    country,
    provider,
    party,
    external_reference: reference,
    callback_url,
    redirect_url,
  }
  return draft.direction === 'payout'
    ? payOut(tx, team, draft, network_name)
    : collect(tx, team, draft, { field: 'vendor_config.channel_id', external: true }, network_name)
}

const payoutRails = railNames.filter((rail) => rails[rail].payouts_allowed).join(' or ')

type Sent = Readable<CreateGlobalPaymentRequestInput>

export function readGlobalPayment(look: Look, caller: Caller, input: Sent, faults: Faults) {
  const {
    request_type,
    transaction_channel: rail,
    provider,
    amount: major,
    currency,
    country: code,
    customer = {},
    vendor_config: { vendor_id, channel_id, ...vendor } = {},
    provider_config,
    payment_config = {},
    payment_split: { amount_to_save, ...split } = {},
    ...rest
  } = input
  const { account_number, reference, callback_url: _url, redirect_url, ...config } = payment_config
  noneLeft(rest, vendor, config, split)
  const lenient = look.settings.validation === 'lenient'
  const requested = requestedTeam(look, caller, vendor_id, 'vendor_config.vendor_id')
  const country = readCountry(faults, 'country', code)
  if (request_type === 'withdrawal' && rail !== undefined && !rails[rail].payouts_allowed)
    faults.refuse('transaction_channel', rail, `must be ${payoutRails} for withdrawals`)
  const known = country !== undefined && rail !== undefined && provider !== undefined
  const { network, missing } = known
    ? (lenient ? findNetwork : readNetwork)(faults, country, rail, provider, provider_config)
    : {}
  requireCurrency(faults, currency, country)
  requireIdentity(faults, customer, rail, request_type, country)
  const settlesIntoChannel = country?.code === 'KE' && request_type === 'payment'
  if (channel_id !== undefined && country && request_type && !lenient)
    requireChannelCountry(faults, channel_id, settlesIntoChannel)
  if (channel_id !== undefined && settlesIntoChannel) requireHomeCurrency(faults, requested, country)
  const amount = readAmount(faults, major, country, network)
  const party = readParty(faults, account_number, rail, country)
  if (isRealistic(look) && country && rail && request_type)
    requireRealistic(faults, { country, rail, network, request_type, major, party, customer })
  requireRedirect(faults, redirect_url)
  faults.requireWords('payment_config.reference', reference)
  return {
    requested,
    missing,
    network_name: network?.network_name,
    channel_id: settlesIntoChannel ? channel_id : undefined,
    country: country?.code ?? '',
    amount,
    amount_to_save: request_type === 'withdrawal' ? readSavings(faults, amount_to_save, country, amount) : 0,
    party,
  }
}

interface Realistic {
  readonly country: Country
  readonly rail: Rail
  readonly network: Network | undefined
  readonly request_type: string
  readonly major: number | undefined
  readonly party: string
  readonly customer: Readable<CustomerInput>
}

/** Applies rules of real networks that depend on the values alone. */
function requireRealistic(
  faults: Faults,
  { country, rail, network, request_type, major, party, customer }: Realistic,
): void {
  const field = 'payment_config.account_number'
  const direction = request_type === 'withdrawal' ? 'payout' : 'payin'
  requireIdentityForm(faults, customer, country)
  if (rails[rail].party === 'account') requireAccount(faults, field, party, country, network?.network_name)
  if (rails[rail].party !== 'phone') return
  requireWhole(faults, major, country, network?.network_name, direction)
  if (party !== '' && !isMobile(country, party))
    faults.refuse(field, party, `must be a mobile number of ${country.name}`)
}

/** Requires the form of the country's own document; others, such as passports, have no form. */
function requireIdentityForm(
  faults: Faults,
  { id_type = '', id_number }: Readable<CustomerInput>,
  { identity }: Country,
): void {
  const type = id_type.toLowerCase().replace(/[_-]/g, ' ')
  if (!id_number || (type !== 'national id' && type !== identity.name.toLowerCase())) return
  if (!identity.form.test(id_number))
    faults.refuse('customer.id_number', id_number, `must be ${identity.expected}`)
}

function requireCurrency(faults: Faults, currency: string | undefined, country: Country | undefined): void {
  if (country && currency !== undefined && currency !== country.currency)
    faults.refuse('currency', currency, `must be ${country.currency} in ${country.code}`)
}

/** Returns minor units; 0 if the amount is invalid. */
function readAmount(
  faults: Faults,
  amount: number | undefined,
  country: Country | undefined,
  network: Network | undefined,
): number {
  if (amount === undefined || !country) return 0
  const { currency } = country
  if (!network || (amount >= network.min_amount && amount <= network.max_amount))
    return readMoney(faults, 'amount', amount, currency)
  const [least, most] = [network.min_amount, network.max_amount].map((each) =>
    moneyText(toMinor(each, currency), currency),
  )
  faults.refuse('amount', amount, `must be from ${least} to ${most} on ${network.network_name}`)
  return 0
}

/** Banks require the date of birth, some payout corridors the fund owner's document (specification 4.5). */
function requireIdentity(
  faults: Faults,
  customer: Readable<CustomerInput>,
  rail: Rail | undefined,
  request_type: Sent['request_type'] | undefined,
  country: Country | undefined,
): void {
  const { country: home, address: { country: residence, ...address } = {}, ...own } = customer
  const { dob, id_type, id_number, ...rest } = own
  noneLeft(rest, address)
  checkCountryCode(faults, 'customer.country', home)
  checkCountryCode(faults, 'customer.address.country', residence)
  if (rail && rails[rail].asks_birthday) faults.require('customer.dob', dob, `on the ${rail} rail`)
  if (request_type !== 'withdrawal' || !country?.identifies_payout_owner) return
  faults.require('customer.id_type', id_type, `for payouts in ${country.code}`)
  faults.require('customer.id_number', id_number, `for payouts in ${country.code}`)
}

function requireChannelCountry(faults: Faults, channel_id: number, settlesIntoChannel: boolean): void {
  if (settlesIntoChannel) return
  const field = 'vendor_config.channel_id'
  faults.refuse(field, channel_id, 'must be omitted: only payments in KE use channels')
}

/** Channels are Kenyan and hold their Team's currency. */
function requireHomeCurrency(
  faults: Faults,
  { id, field, team }: RequestedTeam,
  { currency }: Country,
): void {
  if (team && team.currency !== currency)
    faults.add(
      field,
      `must be a Team that holds ${currency}, the currency of channels, got ${id}, which holds ${team.currency}`,
    )
}

/** Characters of host names; other characters of URLs, such as `;`, have a meaning in a page's policy. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i

/** Payouts may omit the address to which the payer returns. */
function requireRedirect(faults: Faults, redirect_url = ''): void {
  if (redirect_url === '') return
  const { protocol = '', hostname = '' } = URL.parse(redirect_url) ?? {}
  const field = 'payment_config.redirect_url'
  if (!/^https?:$/.test(protocol))
    faults.refuse(field, redirect_url, 'must be an http or https URL, or empty')
  else if (!HOST.test(hostname))
    faults.refuse(field, redirect_url, 'must have a host of letters, digits, hyphens and dots, or an address')
}

/** Returns the normalised `account_number`; empty if it is invalid. */
export function readParty(
  faults: Faults,
  account_number: string | undefined,
  rail: Rail | undefined,
  country: Country | undefined,
  field = 'payment_config.account_number',
): string {
  if (account_number === undefined || rail === undefined || !country) return ''
  if (rails[rail].party === 'phone') return readMobile(faults, field, account_number, country)
  faults.requireWords(field, account_number)
  return account_number.trim()
}

/** @param amount - minor units; 0 if it is invalid */
function readSavings(
  faults: Faults,
  saved: number | undefined,
  country: Country | undefined,
  amount: number,
): number {
  if (saved === undefined || !country) return 0
  const field = 'payment_split.amount_to_save'
  const minor = readMoney(faults, field, saved, country.currency)
  if (amount > 0 && (minor < 0 || minor > amount))
    faults.refuse(field, saved, `must be from 0 to the amount, ${moneyText(amount, country.currency)}`)
  return minor
}

type SentNetwork = Omit<Readable<ProviderConfigInput>, 'network_name'>

/** Returns the networks of a provider on a rail; none if one of these is invalid. */
function networksOffered(faults: Faults, country: Country, rail: Rail, provider: string): readonly Network[] {
  const { code, providers, networks } = country
  const here = providers[rail]
  if (here.length === 0) {
    const open = railNames.filter((each) => providers[each].length > 0)
    faults.refuseWord('transaction_channel', rail, open, ` in ${code}`)
  } else if (!here.includes(provider))
    faults.refuseWord('provider', provider, here, ` for ${rail} in ${code}`)
  else return networks[provider]!.filter((each) => each.account_type === rail)
  return []
}

interface NetworkChoice {
  readonly network?: Network | undefined
  /** The error for an unknown network id, thrown once the values are valid. */
  readonly missing?: ServiceError
}

/** Returns the network of a payment; all its fields in the request must match. */
function readNetwork(
  faults: Faults,
  country: Country,
  rail: Rail,
  provider: string,
  sent: SentNetwork = {},
): NetworkChoice {
  const { network_id, network_code, provider_id, account_type, ...rest } = sent
  noneLeft(rest)
  const own = networksOffered(faults, country, rail, provider)
  if (own.length === 0) return {}
  const network = network_id === undefined ? own[0] : byId(own, network_id)
  if (!network) return { missing: noNetwork(provider, own, network_id!) }
  if (network_code !== network.network_code && network_code !== legacyCode(country, network))
    requireOwn(faults, network, 'network_code', network_code)
  requireOwn(faults, network, 'provider_id', provider_id)
  requireOwn(faults, network, 'account_type', account_type)
  return { network }
}

/**
 * Returns the network as older integrations name it: of another provider, with an id of another system, or with a
 * differently spelt code. Other fields are ignored.
 */
function findNetwork(
  faults: Faults,
  country: Country,
  rail: Rail,
  provider: string,
  sent: SentNetwork = {},
): NetworkChoice {
  const { network_id, network_code, account_type } = sent
  const own = networksOffered(faults, country, rail, provider)
  if (own.length === 0) return {}
  if (account_type !== undefined && account_type !== rail && isRail(account_type))
    requireOwn(faults, own[0]!, 'account_type', account_type)
  const all = [...own, ...networksOf(country, rail)]
  const found =
    (network_id === undefined ? undefined : byId(all, network_id)) ??
    (network_code === undefined ? undefined : byCode(country, all, network_code))
  if (found) return { network: found }
  if (network_id === undefined || UUID.test(network_id)) return { network: own[0] }
  return { missing: noNetwork(provider, own, network_id) }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const byId = (networks: readonly Network[], id: string) => networks.find((each) => each.network_id === id)

const byCode = (country: Country, networks: readonly Network[], code: string) =>
  networks.find((each) => bare(each.network_code) === bare(code) || legacyCode(country, each) === code)

/** Makes `M PESA` and `m-pesa` equal to `MPESA`. */
const bare = (code: string) => code.replace(/[\s_-]/g, '').toUpperCase()

const legacyCode = ({ code }: Country, { network_name }: Network) =>
  code === 'KE' ? mobileNetworks.find(({ name }) => name === network_name)?.code : undefined

function requireOwn(
  faults: Faults,
  network: Network,
  field: 'network_code' | 'provider_id' | 'account_type',
  value: string | undefined,
): void {
  if (value === undefined || value === network[field]) return
  const expected = `must be ${network[field]}, the value of network ${network.network_id}`
  faults.refuse(`provider_config.${field}`, value, expected)
}

function noNetwork(provider: string, own: readonly Network[], network_id: string): ServiceError {
  const { message, code } = notFound('provider_config.network_id', network_id)
  return new ServiceError(
    code,
    `${message}; ${provider} has ${own.map((each) => each.network_id).join(', ')}`,
  )
}
