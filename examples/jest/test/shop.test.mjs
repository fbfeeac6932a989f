import { createSandbox } from 'payments-sandbox'
import { matchers } from 'payments-sandbox/matchers'
import { createShop } from '../../vitest/shop.js'

expect.extend(matchers)

let sandbox, world, shop
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
})
afterAll(() => sandbox.close())

beforeEach(async () => {
  world = await sandbox.world()
  shop = createShop({
    baseUrl: world.url,
    authorization: world.authorization,
    callbackUrl: await world.inbox.url(),
    fetch: sandbox.fetch,
  })
})

/** The shop gets what arrived in the sandbox's inbox, oldest first. */
const deliver = async () => {
  for (const { body } of (await world.inbox.messages()).toReversed()) shop.callback(JSON.parse(body))
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
  expect(shop.order('order-3')).toEqual({ state: 'paid', receipts: 1 })
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
