/** Sends the requests of a history as clients of each country do. */
import type { Caller, Tx } from '../../service/domain/context.ts'
import { requestCollection } from '../../service/domain/collections.ts'
import { countryByCode, networksOf } from '../../service/domain/countries/countries.ts'
import { isOfPhone, type Rail } from '../../service/vocabulary/rails.ts'
import type { Country, Network } from '../../service/domain/countries/country.ts'
import { requestGlobalPayment } from '../../service/domain/global-payments.ts'
import { banks, mobileNetworks } from '../../service/domain/countries/ke.ts'
import { fromShillings, toMajor } from '../../service/domain/money.ts'
import { requestWithdrawal } from '../../service/domain/payouts.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { type Draw, mobileOf } from './draw.ts'

export interface PlannedPayment {
  readonly team: TeamRow
  readonly direction: 'payin' | 'payout'
  readonly rail: Rail
  /** Set for collections into a channel. */
  readonly channel_id: number | undefined
  /** The amount in shillings, which is converted for other countries. */
  readonly shillings: number
  /** The position in the history. */
  readonly n: number
}

/** Number of different payers in a country. */
const PAYERS = 2_000

/** @throws ServiceError if the rules reject the request */
export function pay(tx: Tx, caller: Caller, draw: Draw, asked: PlannedPayment): TransactionRow {
  const country = countryByCode(asked.team.country) ?? countryByCode('KE')!
  if (
    country.code !== 'KE' ||
    asked.rail === 'card' ||
    (asked.rail === 'bank' && asked.direction === 'payin')
  )
    return payGlobally(tx, caller, draw, asked, country)
  return asked.direction === 'payin'
    ? collect(tx, caller, draw, asked, country)
    : withdraw(tx, caller, draw, asked, country)
}

const phoneOf = (draw: Draw, country: Country, n: number) =>
  mobileOf(country, draw.fraction('payer', draw.below('which payer', n, PAYERS)))

const referenceOf = ({ direction, n }: PlannedPayment) =>
  `${direction === 'payin' ? 'ORD' : 'PAY'}-${String(n + 1).padStart(6, '0')}`

function collect(
  tx: Tx,
  caller: Caller,
  draw: Draw,
  asked: PlannedPayment,
  country: Country,
): TransactionRow {
  const { team, channel_id, shillings, n } = asked
  return requestCollection(tx, caller, {
    account_id: team.id,
    amount: shillings,
    phone_number: phoneOf(draw, country, n),
    provider: 'm-pesa',
    ...(channel_id === undefined ? { network_code: mobileNetworks[0]!.code } : { channel_id }),
    external_reference: referenceOf(asked),
  })
}

function withdraw(
  tx: Tx,
  caller: Caller,
  draw: Draw,
  asked: PlannedPayment,
  country: Country,
): TransactionRow {
  const { team, shillings, rail, n } = asked
  const phone_number = phoneOf(draw, country, n)
  const code = () => String(200_000 + draw.below('short code', n, 700_000))
  const shared = {
    account_id: team.id,
    amount: shillings,
    phone_number,
    external_reference: referenceOf(asked),
  }
  if (rail === 'bank') {
    const account_number = `11${String(draw.below('account', n, 10 ** 8)).padStart(8, '0')}`
    const { code: network_code } = draw.one('bank', n, banks)
    return requestWithdrawal(tx, caller, {
      ...shared,
      channel: 'bank',
      recipient_type: 'PAYBILL',
      account_number,
      network_code,
    })
  }
  const channel = draw.weighted('destination', n, destinations)
  if (channel === 'phone')
    return requestWithdrawal(tx, caller, {
      ...shared,
      channel,
      recipient_type: 'MSISDN',
      account_number: phone_number,
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
  const { team, direction, rail, shillings, n } = asked
  const network = draw.one('network', n, networksOf(country, rail))
  const phone = phoneOf(draw, country, n)
  const account = isOfPhone(asked) ? phone : String(1_000_000_000 + draw.below('account', n, 10 ** 9))
  return requestGlobalPayment(tx, caller, {
    request_type: direction === 'payin' ? 'payment' : 'withdrawal',
    transaction_channel: rail,
    provider: providerOf(country, network),
    amount: amountOn(network, shillings, country),
    currency: country.currency,
    country: country.code,
    customer: {
      country: country.code,
      dob: `19${60 + draw.below('year', n, 39)}-0${1 + draw.below('month', n, 9)}-1${draw.below('day', n, 9)}`,
      id_type: 'national_id',
      id_number: String(10_000_000 + draw.below('id', n, 80_000_000)),
    },
    vendor_config: { vendor_id: team.id },
    provider_config: { ...network },
    payment_config: {
      reference: referenceOf(asked),
      account_number: account,
      callback_url: '',
      redirect_url: '',
    },
  })
}

const providerOf = ({ networks }: Country, network: Network) =>
  Object.keys(networks).find((provider) => networks[provider]!.includes(network))!

/** Returns an amount in whole units of the currency, within the limits of the network. */
function amountOn({ min_amount, max_amount }: Network, shillings: number, { currency }: Country): number {
  const worth = Math.round(toMajor(fromShillings(shillings, currency), currency))
  return Math.min(max_amount, Math.max(Math.ceil(min_amount), worth))
}
