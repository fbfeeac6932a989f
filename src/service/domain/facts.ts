/** Facts that scenarios match, the same for requests of all operations. */
import { isRail, rails } from '../vocabulary/rails.ts'
import { countries, countryByCode, normalizedMobile } from './countries/countries.ts'
import type { Caller, Look } from './context.ts'
import { destinationOf, payoutProvider } from './payouts.ts'

export interface Facts {
  readonly direction?: 'payin' | 'payout' | undefined
  readonly rail?: unknown
  /** The phone (digits with the dial code) or account that pays or is paid. */
  readonly party?: unknown
  /** Major units, as sent. */
  readonly amount?: unknown
  readonly currency?: unknown
  readonly country?: unknown
  readonly provider?: unknown
  readonly account_id?: unknown
  readonly channel_id?: unknown
  readonly reference?: unknown
}

export interface SentParts {
  readonly path: Fields
  readonly query: Fields
  readonly body: Fields
}

export type Fields = { readonly [name: string]: unknown }

/** Operations of the previous API generation, with the current ones whose scenarios apply to them. */
const actsAs: { readonly [operation: string]: string } = {
  topUpServiceWallet: 'createCollection',
  getTransactionStatusByReference: 'getTransactionStatus',
}

/** Returns the name of an operation in scenarios. */
export const scenarioOperation = (operation: string): string => actsAs[operation] ?? operation

/** @param behind - what the world has of the Team and the submission of a KYC request */
export function factsOf(operation: string, caller: Caller, sent: SentParts, behind?: BehindKyc): Facts {
  const make = byOperation[scenarioOperation(operation)]
  if (make) return make(sent, caller, behind)
  const { path, query, body } = sent
  return {
    account_id: path['account_id'] ?? query['account_id'] ?? body['account_id'],
    country: served(query['country'] ?? body['country']),
    rail: body['transaction_channel'],
    reference: body['request_id'] ?? query['reference'],
  }
}

const byOperation: {
  readonly [operation: string]: (sent: SentParts, caller: Caller, behind: BehindKyc | undefined) => Facts
} = {
  createCollection: ({ body }, caller) => ({
    direction: 'payin',
    rail: 'momo',
    party: mobile(body['phone_number'], 'KE'),
    amount: body['amount'],
    currency: 'KES',
    country: 'KE',
    provider: body['provider'],
    account_id: body['account_id'] ?? caller.default_account_id,
    channel_id: body['channel_id'],
    reference: body['external_reference'],
  }),
  createWithdrawal: ({ body }, caller) => ({
    direction: 'payout',
    rail: body['channel'] === 'bank' ? 'bank' : 'momo',
    party: payee(body),
    amount: body['amount'],
    currency: 'KES',
    country: 'KE',
    provider: payoutProvider(destinationOf(body), body['network_code'], payee(body)),
    account_id: body['account_id'] ?? caller.default_account_id,
    reference: body['external_reference'],
  }),
  createGlobalPayment: ({ body }, caller) => {
    const payment = fieldsOf(body['payment_config'])
    const vendor = fieldsOf(body['vendor_config'])
    const number = payment['account_number']
    return {
      direction: body['request_type'] === 'withdrawal' ? 'payout' : 'payin',
      rail: body['transaction_channel'],
      party: isPhone(body['transaction_channel'], number) ? mobile(number, body['country']) : number,
      amount: body['amount'],
      currency: body['currency'],
      country: served(body['country']),
      provider: body['provider'],
      account_id: vendor['vendor_id'] ?? caller.default_account_id,
      channel_id: vendor['channel_id'],
      reference: payment['reference'],
    }
  },
  submitKyc: ({ body }, _caller, behind) => kycFacts(body, behind),
  amendKyc: ({ body }, _caller, behind) => kycFacts(body, behind),
}

/** Numbers in local form belong to the Team's country unless the submission names another. */
const kycFacts = (body: Fields, { country, phone }: BehindKyc = {}): Facts => ({
  party: mobile(
    fieldsOf(body['contact_information'])['phone_number'] ?? phone,
    body['country_code'] ?? country,
  ),
  country: served(body['country_code']),
  account_id: body['account_id'],
})

/** Returns the same as `readPayee`, for a request that has not been validated. */
function payee(body: Fields): unknown {
  const { short_code, account_number, phone_number } = body
  switch (destinationOf(body)) {
    case 'bank':
      return account_number
    case 'till':
      return short_code
    case 'paybill':
      return account_number ? `${String(short_code)}#${String(account_number)}` : short_code
    case 'phone':
      return mobile(account_number ?? phone_number, 'KE')
  }
}

/** Whether an account is a phone: always for mobile money, by its form for cards. */
function isPhone(rail: unknown, number: unknown): boolean {
  const party = typeof rail === 'string' && isRail(rail) ? rails[rail].party : undefined
  if (party === 'either') return typeof number === 'string' && /^[+\d][\d\s-]*$/.test(number)
  return party === 'phone'
}

const mobile = (number: unknown, country: unknown) =>
  typeof number === 'string'
    ? normalizedMobile(number, typeof country === 'string' ? countryByCode(country) : undefined)
    : number

/** Returns a served country's code in capitals. */
const served = (country: unknown) =>
  typeof country === 'string' ? (countryByCode(country)?.code ?? country) : country

const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields

export interface BehindKyc {
  /** The country of the Team. */
  readonly country?: string | undefined
  /** The phone of the amended submission, which an amendment need not repeat. */
  readonly phone?: unknown
}

/** Returns what a KYC request itself does not contain; undefined for other operations. */
export function behindKyc(
  { rows }: Look,
  operation: string,
  { path, body }: SentParts,
): BehindKyc | undefined {
  if (operation !== 'submitKyc' && operation !== 'amendKyc') return undefined
  const amended = operation === 'amendKyc' ? rows.get('kycs', Number(path['id'])) : undefined
  const team = rows.get('teams', Number(amended ? amended.account_id : body['account_id']))
  const country = team && (team.country || countries.find(({ currency }) => currency === team.currency)?.code)
  return { country, phone: fieldsOf(amended?.details.contact_information)['phone_number'] }
}
