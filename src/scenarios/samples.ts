/** Sample requests of every operation that the default world accepts, adapted to a scenario. */
import { routes } from '../generated/service/routes.ts'
import { testNumbers } from '../service/domain/countries/countries.ts'
import type { Expectation } from './expect.ts'
import type { Scenario } from './scenario.ts'
import { mergeDeep } from '../lib/objects.ts'

export interface SampleRequest {
  readonly method: string
  /** Includes the query. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: object | undefined
}

export interface SampleContext {
  readonly callback_url: string
  /** The caller's own reference. */
  readonly reference: string
  /** The KYC submission to amend. */
  readonly kyc_id: number
}

const PHONE = '254712345678'

type Sample = {
  readonly path?: { readonly [name: string]: string | number }
  readonly query?: string
  readonly body?: object
}

const kycDetails = (phone: string) => ({
  account_id: 64,
  entity_type: 'individual',
  country_code: 'KE',
  country: 'Kenya',
  contact_information: { first_name: 'Asha', last_name: 'Otieno', phone_number: phone },
})

const samples: { readonly [Id in keyof typeof routes]: (context: SampleContext, phone: string) => Sample } = {
  getUserProfile: () => ({ path: { user_id: 1 } }),
  createAccount: () => ({
    body: { organization_id: 1, name: 'Shop', dial_code: '254', number: '712345678' },
  }),
  getAccount: () => ({ path: { account_id: 63 } }),
  updateAccount: () => ({ body: { account_id: 63, description: 'Shop' } }),
  deleteAccount: () => ({ path: { account_id: 64 } }),
  inviteMember: () => ({ body: { organization_id: 1, account_id: 63, email: 'invited@demo.example' } }),
  removeMember: () => ({ query: '?account_id=63&user_id=2' }),
  submitKyc: (_, phone) => ({ body: kycDetails(phone) }),
  amendKyc: ({ kyc_id }, phone) => ({ path: { id: kyc_id }, body: kycDetails(phone) }),
  listPaymentChannels: () => ({}),
  discoverCountry: () => ({ query: '?country=KE' }),
  listTransactionProviders: () => ({ body: { country: 'KE' } }),
  getTransactionStatus: ({ reference }) => ({ body: { request_id: reference } }),
  createCollection: ({ callback_url, reference }, phone) => ({
    body: {
      account_id: 63,
      amount: 1000,
      phone_number: phone,
      provider: 'm-pesa',
      network_code: '63902',
      external_reference: reference,
      callback_url,
    },
  }),
  createWithdrawal: ({ callback_url, reference }, phone) => ({
    body: {
      account_id: 63,
      amount: 500,
      phone_number: phone,
      account_number: phone,
      channel: 'phone',
      recipient_type: 'MSISDN',
      external_reference: reference,
      callback_url,
    },
  }),
  createGlobalPayment: ({ callback_url, reference }, phone) => ({
    body: {
      request_type: 'payment',
      transaction_channel: 'momo',
      provider: 'm-pesa',
      amount: 1000,
      currency: 'KES',
      country: 'KE',
      reason: 'Order',
      source: 'api',
      customer: { first_name: 'Asha', last_name: 'Otieno', phone, country: 'KE' },
      vendor_config: { vendor_id: 63 },
      provider_config: {
        network_id: 'm-pesa',
        provider_id: 'ke-m-pesa',
        network_name: 'M-Pesa',
        network_code: 'MPESA',
        account_type: 'momo',
      },
      payment_config: {
        reference,
        account_number: phone,
        remark: 'Order',
        payment_category: 'goods',
        callback_url,
        redirect_url: 'https://shop.example/thanks',
      },
    },
  }),
}

/** Returns the request that triggers a scenario: by its test number, by its `when` and expectation, or by name. */
export function sampleRequest(
  scenario: Scenario,
  { operation, body, headers }: Expectation['request'],
  context: SampleContext,
): SampleRequest {
  const phone = scenario.ending === null ? PHONE : testNumbers(scenario.ending)[0]!.number
  const id = operation as keyof typeof routes
  const sample = samples[id](context, phone)
  const route = routes[id]
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => String(sample.path?.[name]))
  const byName = scenario.conditions === null
  return {
    method: route.method.toUpperCase(),
    path: path + (sample.query ?? ''),
    headers: { ...(byName && { prefer: `scenario=${scenario.name}` }), ...headers },
    body: sample.body && mergeDeep(sample.body, body),
  }
}
