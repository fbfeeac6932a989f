import { expect } from 'vitest'
import { globalPayment } from './requests.ts'
import type { startSandbox, TestWorld } from './sandbox.ts'

export interface CardPayin {
  readonly redirect_url?: string
  readonly name?: string
  /** What the Team has beside. */
  readonly brand?: object
  readonly reference?: string
  readonly amount?: number
  readonly prefer?: string
}

/** A card pay-in of KES 1,000 that waits for its payer, and the path of its page. */
export async function waiting(
  w: TestWorld,
  { redirect_url = 'https://shop.example/thanks?order=1', name, brand, prefer, ...changes }: CardPayin = {},
) {
  const team = name === undefined ? 63 : await teamOf(w, name)
  await w.put('/api/v2/accounts', { account_id: team, ...brand })
  const request = globalPayment(w, { transaction_channel: 'card', provider: 'hosted_card' })
  const payment = {
    ...request,
    ...(changes.amount && { amount: changes.amount }),
    vendor_config: { vendor_id: team },
    provider_config: {
      network_id: 'ke-hosted-card-card-visa',
      provider_id: 'ke-hosted-card',
      network_name: 'Visa',
      network_code: 'visa',
      account_type: 'card',
    },
    payment_config: {
      ...request.payment_config,
      redirect_url,
      ...(changes.reference && { reference: changes.reference }),
    },
  }
  const answer = await w.post('/api/global/payments', payment, prefer ? { prefer } : {})
  expect(answer.body.error_message).toBe(undefined)
  const { checkout_url } = answer.body.provider_response
  return { path: new URL(checkout_url).pathname, reference: answer.body.merchant_reference as string }
}

async function teamOf(w: TestWorld, name: string): Promise<number> {
  const team = { organization_id: 1, name, dial_code: '254', number: '712345678' }
  const { id } = (await w.post('/api/v2/accounts', team)).body.account
  await w.world().change(({ rows }) => {
    rows.put('teams', { ...rows.get('teams', id)!, kyc_tier: 3 })
  })
  return id
}

/** A pay-in by a rail without a form, the path of its page and who pays. */
export async function payin(w: TestWorld, rail: 'momo' | 'bank') {
  const request = globalPayment(w)
  const provider = rail === 'momo' ? 'm-pesa' : 'kcb'
  const country = await w.get('/api/global/discovery/payment-world/country?country=KE')
  const [network] = country.body.provider_networks[provider]
  const { network_id, provider_id, network_name, network_code, account_type } = network
  const answer = await w.post('/api/global/payments', {
    ...request,
    transaction_channel: rail,
    provider,
    customer: { ...request.customer, dob: '1990-01-01T00:00:00Z' },
    provider_config: { network_id, provider_id, network_name, network_code, account_type },
  })
  expect(answer.body.error_message).toBe(undefined)
  const { checkout_url } = answer.body.provider_response
  const party: string = request.payment_config.account_number
  return { path: new URL(checkout_url).pathname, reference: answer.body.merchant_reference as string, party }
}

/** A payer's browser, as far as tests need one. */
export const browserOf = (sandbox: Awaited<ReturnType<typeof startSandbox>>['sandbox']) => {
  const show = async (path: string, headers = {}) => {
    const response = await sandbox.fetch(new Request(`http://sandbox.test${path}`, { headers }))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return {
    show,

    /** Where the page leads by itself, once the payment has ended. */
    async leadsTo(path: string) {
      const { text } = await show(path)
      const url = /http-equiv="refresh" content="3;url=([^"]*)"/.exec(text)?.[1]
      return url?.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
    },

    press: async (
      path: string,
      body: string,
      headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' },
    ) => sandbox.fetch(new Request(`http://sandbox.test${path}`, { method: 'POST', headers, body })),
  }
}

/** A card of the form, with what differs. */
export const typed = (number = '4242 4242 4242 4242', changes: object = {}) => ({
  number,
  expiry: '12/30',
  cvc: '123',
  ...changes,
})

export const statusOf = async (w: TestWorld, request_id: string) =>
  (await w.post('/api/global/transaction-status', { request_id })).body
