const { test } = require('payments-sandbox/jest')

test('the payer cancels', async ({ world }) => {
  const payment = await world.pay({ outcome: 'payer-cancels' })
  await world.settle()
  const callback = await world.callback(payment)
  expect(callback.body.status).toBe('failed')
})
