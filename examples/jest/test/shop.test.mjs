import { createSandbox } from 'payments-sandbox'
import { matchers } from 'payments-sandbox/matchers'
import { createHmac } from 'node:crypto'
import { createShop } from '../../vitest/shop.js'

expect.extend(matchers)

let sandbox, world, shop, secret
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
})
afterAll(() => sandbox.close())

beforeEach(async () => {
  world = await sandbox.world()
  secret = await world.signatures.secret()
  shop = createShop({
    baseUrl: world.url,
    authorization: world.authorization,
    callbackUrl: await world.inbox.url(),
    secret,
    fetch: sandbox.fetch,
  })
})

/** The shop gets what arrived in the sandbox's inbox, oldest first. */
const deliver = async () => {
  for (const message of (await world.inbox.messages()).toReversed()) shop.callback(message)
}
const phone = '0712345678'

test('a payment is taken', async () => {
  await shop.checkout('order-1', { amount: 100, phone })
  expect(shop.order('order-1').state).toBe('waiting')
  await world.settle()
  await deliver()
  expect(shop.order('order-1').state).toBe('paid')
  await expect(world).toHaveRequested({ operation: 'createCollection', reference: 'order-1' }, 1)
  await expect(world).toHaveDelivered({ reference: 'order-1', body: { status: 'success', amount: 100 } })
})

test('the payer cancels', async () => {
  await world.scenario('payer-cancels')
  await shop.checkout('order-2', { amount: 100, phone })
  await world.settle()
  await deliver()
  expect(shop.order('order-2').state).toBe('unpaid')
})

test('the callback comes twice and counts once', async () => {
  await world.scenario('duplicate-callback')
  await shop.checkout('order-3', { amount: 100, phone })
  await world.settle()
  expect(await world.inbox.messages()).toHaveLength(2)
  await deliver()
  expect(shop.order('order-3')).toMatchObject({ state: 'paid', receipts: 1 })
})

test('success comes late', async () => {
  await world.scenario('late-success')
  await shop.checkout('order-4', { amount: 100, phone })
  await world.clock.advance('1m')
  await deliver()
  expect(shop.order('order-4').state).not.toBe('paid')
  await world.clock.advance('1h')
  await deliver()
  expect(shop.order('order-4').state).toBe('paid')
})

test('the answer is lost, the payment is not', async () => {
  await world.scenario('lost-response')
  await shop.checkout('order-5', { amount: 100, phone })
  await world.scenarios.off('lost-response')
  await world.settle()
  await deliver()
  expect(shop.order('order-5').state).toBe('paid')
  await expect(world).toHaveRequested({ operation: 'createCollection' }, 1)
})

/** A callback of anybody's who knows the secret; without it nobody can sign one. */
function signed(id, result, key = secret) {
  const body = JSON.stringify(result)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const bytes = Buffer.from(key.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return { headers, body }
}
const success = { external_reference: 'order-6', status: 'success', amount: 100, currency: 'KES' }

test('a callback that is not signed by the service pays nothing', async () => {
  await shop.checkout('order-6', { amount: 100, phone })
  const wrong = signed('evt_1', success, `whsec_${Buffer.from('guessed').toString('base64')}`)
  expect(shop.callback(wrong)).toBe(401)
  const genuine = signed('evt_1', success)
  expect(shop.callback({ ...genuine, body: genuine.body.replace('100', '1') })).toBe(401)
  expect(shop.callback({ headers: {}, body: genuine.body })).toBe(401)
  const old = { ...genuine.headers, 'webhook-timestamp': '1700000000' }
  expect(shop.callback({ ...genuine, headers: old })).toBe(401)
  expect(shop.order('order-6').state).toBe('waiting')
  expect(shop.callback(genuine)).toBe(204)
  expect(shop.order('order-6').state).toBe('paid')
})

test('a callback of another amount, currency or order pays nothing', async () => {
  await shop.checkout('order-6', { amount: 100, phone })
  shop.callback(signed('evt_1', { ...success, external_reference: 'order-7' }))
  expect(shop.order('order-6').state).toBe('waiting')
  shop.callback(signed('evt_2', { ...success, amount: 1 }))
  expect(shop.order('order-6')).toMatchObject({ state: 'disputed', receipts: 0 })
  shop.callback(signed('evt_3', { ...success, currency: 'UGX' }))
  expect(shop.order('order-6')).toMatchObject({ state: 'disputed', receipts: 0 })
})
