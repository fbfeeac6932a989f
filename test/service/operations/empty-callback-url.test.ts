import { describe, expect, it } from 'vitest'
import { collection, globalPayment, withdrawal } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

describe.each(['documented', 'lenient'])('in the profile %s', async (SANDBOX_VALIDATION) => {
  const { world } = await startSandbox({ SANDBOX_VALIDATION })

  it.each([
    ['/api/v2/payments', collection],
    ['/api/v2/withdraw', withdrawal],
  ])('%s treats callback_url: "" as omitted', async (path, request) => {
    const w = world()
    expect((await w.post(path, request(w, { callback_url: '' }))).status).toBeLessThan(300)
    await w.settle()
    expect(w.callbacks()).toEqual([])
  })
})

describe('in the profile lenient', async () => {
  const { world } = await startSandbox({ SANDBOX_VALIDATION: 'lenient' })

  it('a global payment treats callback_url: "" as omitted', async () => {
    const w = world()
    const { payment_config, ...payment } = globalPayment(w)
    const silent = { ...payment, payment_config: { ...payment_config, callback_url: '' } }
    expect((await w.post('/api/global/payments', silent)).status).toBe(200)
    await w.settle()
    expect(w.callbacks()).toEqual([])
  })

  it('generates a reference for a withdrawal with external_reference: ""', async () => {
    const w = world()
    const { status, body } = await w.post('/api/v2/withdraw', withdrawal(w, { external_reference: '' }))
    expect([status, body.external_reference]).toEqual([200, expect.stringMatching(/^[\da-f-]{36}$/)])
  })
})
