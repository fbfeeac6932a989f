import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'payments-sandbox/vitest'
import { createReceiver } from './receiver.js'

/** Starts a shop that remembers the status of each order, after some failures. */
async function startShop(world, failures = 0) {
  const orders = new Map()
  const received = []
  const secret = await world.signatures.secret()
  const onPayment = ({ external_reference, status }) => {
    if (failures-- > 0) throw new Error('the database is down')
    received.push(external_reference)
    orders.set(external_reference, status)
  }
  const receiver = createReceiver({ secret, onPayment })
  const server = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const request = new Request(new URL(url, 'http://shop.test'), {
      method,
      headers,
      body: Readable.toWeb(incoming),
      duplex: 'half',
    })
    outgoing.writeHead((await receiver(request)).status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callbackUrl = `127.0.0.1:${server.address().port}/callbacks/payments`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { orders, received, callbackUrl, close }
}

test('an order is paid', async ({ world }) => {
  const shop = await startShop(world)
  const payment = await world.pay({ callbackUrl: shop.callbackUrl })
  await world.settle()
  expect(shop.orders.get(payment.reference)).toBe('success')
  shop.close()
})

test('the payer cancels', async ({ world }) => {
  const shop = await startShop(world)
  const payment = await world.pay({ outcome: 'payer-cancels', callbackUrl: shop.callbackUrl })
  await world.settle()
  expect(shop.orders.get(payment.reference)).toBe('failed')
  shop.close()
})

test('a callback that is delivered twice counts once', async ({ world }) => {
  const shop = await startShop(world)
  const payment = await world.pay({ outcome: 'duplicate-callback', callbackUrl: shop.callbackUrl })
  await world.settle()
  const callback = await world.callback(payment)
  expect(callback.deliveries).toBe(2)
  expect(shop.received.length).toBe(1)
  shop.close()
})

test('a payment that could not be stored is stored at the next attempt', async ({ world }) => {
  const shop = await startShop(world, 1)
  const payment = await world.pay({ callbackUrl: shop.callbackUrl })
  await world.settle()
  expect(shop.orders.get(payment.reference)).toBe('success')
  shop.close()
})
