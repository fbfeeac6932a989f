import { describe, expect, it } from 'vitest'
import { browserOf, waiting } from '../support/checkout.ts'
import { call, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { press, show } = browserOf(sandbox)

const withdrawalTo = () => ({
  external_reference: 'payout-1',
  account_id: 63,
  amount: 500,
  phone_number: '254712345678',
  channel: 'phone',
  recipient_type: 'MSISDN',
})

describe('an unavailable checkout', () => {
  it('returns 404 for an unknown id, world or reference, and for a payment without checkout', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    const [, , name, id] = path.split('/')
    const payout = (await w.post('/api/v2/withdraw', { ...withdrawalTo() })).body.checkout_request_id
    for (const wrong of [
      `/checkout/${name}/nothing`,
      `/checkout/demo/${id}`,
      `/checkout/nobody/${id}`,
      `/checkout/${name}/${reference}`,
      `/checkout/${name}/order-1`,
      `/checkout/${name}/${payout}`,
      // The identifier alone, which can be foreseen, and the identifier with another proof.
      `/checkout/${name}/${id!.split('.')[0]}`,
      `/checkout/${name}/${id!.split('.')[0]}.`,
      `/checkout/${name}/${id!.slice(0, -1)}`,
      `/checkout/${name}/${id!.slice(0, -22)}${'A'.repeat(22)}`,
      `/checkout/${name}/${id}A`,
      `/checkout/__proto__/constructor`,
      '/checkout/%E0%A4%A/%ff',
    ]) {
      const answer = await show(wrong)
      expect(answer.status, wrong).toBe(404)
      expect(JSON.parse(answer.text).error_code).toBe('resource_not_found')
      expect((await press(wrong, 'action=pay')).status).toBe(404)
    }
  })

  it('returns 404 for an address from before a reset', async () => {
    const w = world()
    const { path } = await waiting(w)
    await w.post('/sandbox/reset')
    await w.advance(1_000)
    const again = await waiting(w)
    expect((await show(path)).status).toBe(404)
    expect((await show(again.path)).status).toBe(200)
  })

  it('returns 405 for another method', async () => {
    const { path } = await waiting(world())
    const answer = await call(sandbox, 'DELETE', path)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, POST')
  })
})
