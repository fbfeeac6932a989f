/** What the record of a world proves: each rehearsal before going live, and what is missing when it was left out. */
import { afterAll, expect, it, vi } from 'vitest'
import type { CheckId } from '../../src/certify/check-ids.ts'
import { certifyRecord } from '../../src/certify/certify.ts'
import { createSandbox, type WorldClient } from '../../src/index.ts'
import { withVerdict } from './certified.ts'
import { createShop } from './shop/shop.ts'

const ORIGIN = 'https://shop.example'
const receive = new Map<string, (request: Request) => Promise<Response>>()
const sandbox = await createSandbox({
  clock: 'frozen',
  receivers: { [ORIGIN]: (request) => receive.get(new URL(request.url).pathname)!(request) },
})
afterAll(() => sandbox.close())

/** A shop in a world of its own. */
async function open() {
  const world = await sandbox.world()
  const path = `/callback-${receive.size}`
  const shop = createShop({
    account: { baseUrl: world.url, authorization: world.authorization, callbackUrl: ORIGIN + path },
    secrets: [await world.signatures.secret()],
    fetch: (request) => world.fetch(request),
  })
  receive.set(path, shop.fetch)
  const place = async (page: string, order: string, phone: string) => {
    const body = JSON.stringify({ order, amount: 500, phone })
    await shop.fetch(new Request(`${ORIGIN}/test/${page}`, { method: 'POST', body }))
    await vi.waitFor(async () => {
      expect(await world.transactions.list({ reference: `${order}-1` })).toHaveLength(1)
    })
    await world.settle()
  }
  return {
    world,
    stop: shop.stop,
    buy: (order: string, phone = '0712345678') => place('checkout', order, phone),
    payOut: (order: string) => place('payouts', order, '0712345678'),
  }
}

type Opened = Awaited<ReturnType<typeof open>>

const agent = { 'user-agent': 'careful-shop/1.0', 'content-type': 'application/json' }
const ask = (world: WorldClient, path: string, init: RequestInit = {}) =>
  world.fetch(path, { ...init, headers: { ...agent, ...(init.headers as object) } })
const post = (world: WorldClient, path: string, body: object, headers = {}) =>
  ask(world, path, { method: 'POST', body: JSON.stringify(body), headers })

const kycOf = (account_id: number, phone_number: string) => ({
  account_id,
  entity_type: 'individual',
  country_code: 'KE',
  country: 'Kenya',
  kyc_tier: 1,
  contact_information: {
    first_name: 'Wanjiru',
    last_name: 'Kamau',
    phone_number,
    identification_type: 'national_id',
    identification_number: 23456789,
  },
})

const globalPayment = {
  request_type: 'payment',
  transaction_channel: 'momo',
  provider: 'm-pesa',
  amount: 1000,
  currency: 'KES',
  country: 'KE',
  reason: 'Order 1042',
  source: 'api',
  customer: {
    first_name: 'Achieng',
    last_name: 'Odhiambo',
    email: 'achieng@mail.example',
    phone: '254712345678',
    country: 'KE',
    address: { line_1: '12 Moi Avenue', country: 'KE' },
  },
  vendor_config: { vendor_id: 63 },
  provider_config: {
    network_id: 'm-pesa',
    provider_id: 'ke-m-pesa',
    network_name: 'M-Pesa',
    network_code: 'MPESA',
    account_type: 'momo',
  },
  payment_config: {
    reference: 'order-1042',
    account_number: '254712345678',
    remark: 'Payment for order 1042',
    payment_category: 'goods',
    callback_url: 'https://shop.example/payments/callback',
    redirect_url: 'https://shop.example/orders/1042/thanks',
  },
}

/** What is done once before real money is asked for. */
const rehearsals: { readonly [Id in CheckId]?: (opened: Opened) => Promise<unknown> } = {
  'ONB-1': ({ buy }) => buy('good'),
  'ONB-2': ({ buy }) => buy('failing', '0700000002'),
  'ONB-3': async ({ buy, world }) => {
    await buy('reversed', '0700000043')
    await world.clock.advance('1h')
  },
  'ONB-4': async ({ payOut, world }) => {
    await world.fund(63, { amount: 10_000, wallet: 'wallet' })
    await payOut('payout')
  },
  'ONB-5': ({ world }) => ask(world, '/api/v2/payment_channels'),
  'ONB-6': async ({ world }) => {
    for (const phone of ['0700000101', '0700000102']) {
      const team = await post(world, '/api/v2/accounts', {
        organization_id: 1,
        name: `Team ${phone}`,
        description: 'A branch',
        email: 'branch@shop.example',
        dial_code: '254',
        number: phone,
        username: `team-${phone}`,
      })
      const { account } = (await team.json()) as { readonly account: { readonly id: number } }
      const submission = await post(world, '/api/v2/account_kycs', kycOf(account.id, phone))
      expect(submission.ok).toBe(true)
    }
    await world.settle()
  },
  'ONB-7': async ({ world }) => {
    const email = 'new@shop.example'
    await post(world, '/api/v2/account_invites', { organization_id: 1, account_id: 63, email })
    const [invite] = await world.invitations.list({ email })
    await world.invitations.accept(invite!.token)
  },
  'ONB-8': async ({ world }) => {
    await ask(world, '/api/global/discovery/payment/world/KE')
    expect((await post(world, '/api/global/payments', globalPayment)).ok).toBe(true)
    await world.settle()
  },
  'ONB-9': async ({ world }) => {
    const statusQuery = (request_id: unknown) => post(world, '/api/global/transaction-status', { request_id })
    await statusQuery('nobody')
    await statusQuery(7)
    // A wrong password is of no world, so that no world has it on record.
    await world.scenarios.next('unauthenticated')
    await statusQuery('nobody')
    const { username, password } = await world.apiKeys.create({ account_id: 63, role_id: 4 })
    const viewer = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    await post(
      world,
      '/api/v2/account_invites',
      { organization_id: 1, account_id: 63, email: 'a@shop.example' },
      { authorization: viewer },
    )
  },
}

async function rehearse(leftOut?: string) {
  const opened = await open()
  for (const [id, step] of Object.entries(rehearsals)) if (id !== leftOut) await step(opened)
  const certification = await certifyRecord(opened.world, 'shop')
  opened.stop()
  return certification
}

const everything = rehearse()

it('a correct shop with a full rehearsal fails no check', async () => {
  const certification = await everything
  expect(withVerdict(certification, 'fail', 'inconclusive')).toEqual([])
  expect(withVerdict(certification, 'pass')).toEqual(
    expect.arrayContaining([...Object.keys(rehearsals), 'CLI-1', 'CLI-14', 'SEC-1', 'SEC-2', 'SEC-4']),
  )
  expect(certification.summary).toMatchObject({ standing: 'so_far', ready: false, score: 100 })
})

it.each(Object.keys(rehearsals))('%s is not proved by a shop that skipped it', async (id) => {
  const [whole, without] = [withVerdict(await everything, 'pass'), withVerdict(await rehearse(id), 'pass')]
  const lost = whole.filter((each) => !without.includes(each)).filter((each) => each.startsWith('ONB'))
  expect(lost).toEqual([id])
})
