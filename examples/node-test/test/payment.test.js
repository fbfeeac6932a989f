import assert from 'node:assert/strict'
import { test } from 'payments-sandbox/node-test'

test('the payer cancels', async ({ world }) => {
  const payment = await world.pay({ outcome: 'payer-cancels' })
  await world.settle()
  const callback = await world.callback(payment)
  assert.equal(callback.body.status, 'failed')
})
