/** Sends the requests of a history as clients of each country do. */
import type { Caller, Tx } from '../../service/domain/context.ts'
import { requestCollection } from '../../service/domain/collections.ts'
import { countryByCode } from '../../service/domain/countries/countries.ts'
import { networksOf, networksOn, nubanDigit } from '../../service/domain/countries/networks.ts'
import type { Country, Network } from '../../service/domain/countries/country.ts'
import type { Rail } from '../../service/vocabulary/rails.ts'
import { requestGlobalPayment } from '../../service/domain/global-payments.ts'
import { banks, mobileNetworks } from '../../service/domain/countries/ke.ts'
import { requestWithdrawal } from '../../service/domain/payouts.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { type Draw, filled, mobileOf } from './draw.ts'

export interface PlannedPayment {
  readonly team: TeamRow
  readonly direction: 'payin' | 'payout'
  readonly rail: Rail
  /** Set for collections into a channel. */
  readonly channel_id: number | undefined
  /** Major units of the Team's currency. */
  readonly amount: number
  readonly reference: string
  /** The position in the history. */
  readonly n: number
}

/** Numbers of different payers, bank accounts and cards in a country. */
const PAYERS = 2_000
const RECIPIENTS = 300
const CARDS = 1_500

const homeOf = ({ country }: TeamRow) => countryByCode(country) ?? countryByCode('KE')!

/** @throws ServiceError if the rules reject the request */
export function pay(tx: Tx, caller: Caller, draw: Draw, asked: PlannedPayment): TransactionRow {
  const country = homeOf(asked.team)
  if (
    country.code !== 'KE' ||
    asked.rail === 'card' ||
    (asked.rail === 'bank' && asked.direction === 'payin')
  )
    return payGlobally(tx, caller, draw, asked, country)
  return asked.direction === 'payin' ? collect(tx, caller, draw, asked) : withdraw(tx, caller, draw, asked)
}

const chosen = (draw: Draw, of: string, n: number, { code }: Country, rail: Rail) =>
  draw.weighted(
    `${of} ${code}`,
    n,
    networksOn(code, rail).map((facts) => [facts, facts.share] as const),
  )

/** Returns a person of the country; some of them pay often. */
const personOf = (draw: Draw, n: number): number =>
  Math.floor(draw.fraction('which payer', n) ** 1.4 * PAYERS)

/** Returns a payer's phone and network, as many of each network as it has customers. */
function payerOf(draw: Draw, country: Country, n: number, only?: string) {
  const first = personOf(draw, n)
  for (let k = first; ; k += 1) {
    const { name } = chosen(draw, 'payer', k % PAYERS, country, 'momo')
    if (only !== undefined && name !== only) continue
    return { network: name, phone: mobileOf(country, draw, `payer ${country.code}`, k % PAYERS, name) }
  }
}

/** Returns an account in the form of its bank. */
function accountOf(draw: Draw, country: Country, n: number, of: string, banks?: readonly string[]) {
  for (let k = draw.below(of, n, RECIPIENTS); ; k += 1) {
    const { name, account = '0#########', bank_code } = chosen(draw, of, k % RECIPIENTS, country, 'bank')
    if (banks && !banks.includes(name)) continue
    const number = filled(draw, `${of} ${name}`, k % RECIPIENTS, account)
    if (bank_code === undefined) return { network: name, account: number }
    const serial = number.slice(0, 9)
    return { network: name, account: `${serial}${nubanDigit(bank_code, serial)}` }
  }
}

/** Returns a card as shops may keep it: the first six and the last four digits. */
function cardOf(draw: Draw, country: Country, n: number) {
  const k = draw.below('which card', n, CARDS)
  const { name } = chosen(draw, 'card', k, country, 'card')
  const begin = name === 'Visa' ? '4#####' : `5${1 + draw.below('card begin', k, 5)}####`
  return { network: name, account: filled(draw, 'card number', k, `${begin}******####`) }
}

const MPESA = mobileNetworks[0]!

function collect(tx: Tx, caller: Caller, draw: Draw, asked: PlannedPayment): TransactionRow {
  const { team, channel_id, amount, reference, n } = asked
  const payer = payerOf(draw, homeOf(team), n, channel_id === undefined ? undefined : MPESA.name)
  return requestCollection(tx, caller, {
    account_id: team.id,
    amount,
    phone_number: payer.phone,
    // Only this provider of the legacy endpoint serves all networks.
    provider: payer.network === MPESA.name ? 'm-pesa' : 'sasapay',
    ...(channel_id === undefined ? { network_code: codeOf(payer.network) } : { channel_id }),
    external_reference: reference,
  })
}

const codeOf = (network: string) => mobileNetworks.find(({ name }) => name === network)!.code

function withdraw(tx: Tx, caller: Caller, draw: Draw, asked: PlannedPayment): TransactionRow {
  const { team, amount, rail, reference, n } = asked
  const { phone: phone_number, network } = payerOf(draw, homeOf(team), n)
  const code = () => String(200_000 + draw.below('short code', n % RECIPIENTS, 700_000))
  const shared = { account_id: team.id, amount, phone_number, external_reference: reference }
  if (rail === 'bank') {
    const recipient = accountOf(draw, homeOf(team), n, 'recipient')
    return requestWithdrawal(tx, caller, {
      ...shared,
      channel: 'bank',
      recipient_type: 'PAYBILL',
      account_number: recipient.account,
      network_code: banks.find(({ name }) => name === recipient.network)!.code,
    })
  }
  const channel = draw.weighted('destination', n, destinations)
  if (channel === 'phone')
    return requestWithdrawal(tx, caller, {
      ...shared,
      channel,
      recipient_type: 'MSISDN',
      account_number: phone_number,
      network_code: codeOf(network),
    })
  return requestWithdrawal(tx, caller, {
    ...shared,
    channel,
    recipient_type: channel === 'till' ? 'TILL' : 'PAYBILL',
    short_code: code(),
    ...(channel === 'paybill' && { account_number: String(1_000 + draw.below('bill', n, 9_000)) }),
  })
}

const destinations = [
  ['phone', 7],
  ['paybill', 2],
  ['till', 1],
] as const

function payGlobally(
  tx: Tx,
  caller: Caller,
  draw: Draw,
  asked: PlannedPayment,
  country: Country,
): TransactionRow {
  const { team, direction, rail, amount, reference, n } = asked
  const { network, account } = partyOf(draw, country, asked)
  const offered = networksOf(country, rail).find(({ network_name }) => network_name === network)!
  const person = personOf(draw, n)
  return requestGlobalPayment(tx, caller, {
    request_type: direction === 'payin' ? 'payment' : 'withdrawal',
    transaction_channel: rail,
    provider: providerOf(country, offered),
    amount: Math.min(offered.max_amount, Math.max(offered.min_amount, amount)),
    currency: country.currency,
    country: country.code,
    customer: {
      country: country.code,
      dob: `19${60 + draw.below('year', person, 39)}-0${1 + draw.below('month', person, 9)}-1${draw.below('day', person, 9)}`,
      id_type: 'national_id',
      id_number: filled(draw, 'id', person, country.identity.pattern),
    },
    vendor_config: { vendor_id: team.id },
    provider_config: { ...offered },
    payment_config: { reference, account_number: account, callback_url: '', redirect_url: '' },
  })
}

function partyOf(draw: Draw, country: Country, { rail, direction, n }: PlannedPayment) {
  if (rail === 'card') return cardOf(draw, country, n)
  if (rail === 'bank') {
    // Only some banks of Kenya take global payments.
    const names = networksOf(country, 'bank').map(({ network_name }) => network_name)
    return accountOf(draw, country, n, direction === 'payin' ? 'bank payer' : 'recipient', names)
  }
  const { network, phone } = payerOf(draw, country, n)
  return { network, account: phone }
}

const providerOf = ({ networks }: Country, network: Network) =>
  Object.keys(networks).find((provider) => networks[provider]!.includes(network))!
