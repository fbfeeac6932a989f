import { describe, expect, it } from 'vitest'
import { collection } from '../../../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../../../support/sandbox.ts'

const { world } = await startSandbox({ SANDBOX_REALISM: 'realistic' })

async function asked(w: TestWorld) {
  const { body } = await w.post('/api/v2/payments', collection(w, { is_offline: true }))
  const account = `553125#${body.CheckoutRequestID}`
  return (amount: number) => w.post('/sandbox/offline-payments', { paybill: '756756', account, amount })
}
const told = (w: TestWorld) =>
  w.callbacks().map(({ body }) => [body['status'], body['amount'], body['external_reference']])
const balanced = async (w: TestWorld) =>
  expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: true })

describe('an offline payment, realistic', () => {
  it.each([400, 1000, 1200])('books %s paid for a collection of 1000', async (amount) => {
    const w = world()
    const pay = await asked(w)
    expect((await pay(amount)).status).toBe(200)
    await w.settle()
    expect(told(w)).toEqual([['success', amount, 'order-1']])
    await balanced(w)
  })

  it('creates a transaction for a second payment', async () => {
    const w = world()
    const pay = await asked(w)
    const [first, second] = [await pay(1000), await pay(1000)]
    expect(second.status).toBe(200)
    expect(second.body.reference).not.toBe(first.body.reference)
    await w.settle()
    expect(told(w)).toEqual([
      ['success', 1000, 'order-1'],
      ['success', 1000, 'order-1'],
    ])
    await balanced(w)
  })

  it('turns an expired collection into a success', async () => {
    const w = world()
    const pay = await asked(w)
    await w.advance(25 * 3_600_000)
    expect((await pay(900)).status).toBe(200)
    await w.settle()
    expect(told(w)).toEqual([
      ['failed', 1000, 'order-1'],
      ['success', 900, 'order-1'],
    ])
    await balanced(w)
  })

  it('returns 400 for an amount below the cost', async () =>
    expect(await (await asked(world()))(10)).toMatchObject(
      refused(400, 'invalid_argument', /insufficient as it wont cater for cost: \(15.00\)/),
    ))
})
