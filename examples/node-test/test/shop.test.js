import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createSandbox } from 'payments-sandbox'
import { createShop } from '../../vitest/shop.js'

const callbackUrl = 'https://shop.test/callbacks'
let sandbox, world, shop

before(async () => {
  const receive = async (request) => {
    const status = shop.callback({ headers: Object.fromEntries(request.headers), body: await request.text() })
    return new Response(null, { status })
  }
  sandbox = await createSandbox({ clock: 'frozen', receivers: { 'https://shop.test': receive } })
})
after(() => sandbox.close())

beforeEach(async () => {
  world = await sandbox.world()
  const { url: baseUrl, authorization } = world
  const secret = await world.signatures.secret()
  shop = createShop({ baseUrl, authorization, callbackUrl, secret, fetch: sandbox.fetch })
})
const buy = async (id) => {
  await shop.checkout(id, { amount: 100, phone: '0712345678' })
  await world.settle()
  return shop.order(id)
}

test('a payment is taken', async () => {
  assert.deepEqual(await buy('order-1'), { state: 'paid', receipts: 1, amount: 100, currency: 'KES' })
})

test('the payer cancels', async () => {
  await world.scenario('payer-cancels')
  assert.equal((await buy('order-2')).state, 'unpaid')
})

test('the callback comes twice and counts once', async () => {
  await world.scenario('duplicate-callback')
  assert.equal((await buy('order-3')).receipts, 1)
})

test('a callback with a wrong signature pays nothing, and is answered 401', async () => {
  await world.scenarios.put('forged', { title: 'Forged', then: { callback: { fault: 'wrong-secret' } } })
  await world.scenario('forged')
  assert.equal((await buy('order-4')).state, 'waiting')
  const [{ attempts }] = await world.callbacks.waitFor({ reference: 'order-4', state: 'failed' })
  assert.equal(attempts[0].response.status, 401)
})
