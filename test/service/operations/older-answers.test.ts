import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox({ SANDBOX_EXTENSIONS: 'on' })

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const CHECKOUT = /^ws_CO_\d{23}$/
const topUp = { amount: 500, phone_number: '0712345678' }

describe('requests of the previous API generation', () => {
  it('are in the request log, and scenarios may respond to them', async () => {
    const w = world()
    const asked = '/api/v2/wallets?wallet_type=service_wallet'
    expect((await w.get(asked, undefined, { prefer: 'code=503' })).status).toBe(503)
    expect((await w.get(asked)).headers.get('sandbox-request-id')).toBe('req_2')
    const { requests } = (await w.get('/sandbox/requests')).body
    expect(requests.map((each: { operation: string }) => each.operation)).toEqual(['getWallet', 'getWallet'])
  })

  it("are explained with the scenario's operation", async () => {
    const w = world()
    const { headers } = await w.post('/api/v2/topup', { ...topUp, phone_number: '254700000002' })
    expect(headers.get('sandbox-scenario')).toBe('payer-cancels')
    const explained = (await w.get('/sandbox/requests/req_1/explain')).body
    expect(explained).toMatchObject({ operation: 'topUpServiceWallet', scenario: 'payer-cancels' })
  })
})

describe('the setting generation', () => {
  it('returns the older bodies of collections and withdrawals, whose identifiers are found', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { generation: 'previous' })
    const { body } = await w.post('/api/v2/payments', collection(w))
    expect([body.reference, body.CheckoutRequestID]).toEqual([
      expect.stringMatching(UUID),
      expect.stringMatching(CHECKOUT),
    ])
    const paidOut = (await w.post('/api/v2/withdraw', withdrawal(w))).body
    expect(paidOut.response_code).toBe('0')
    await w.settle()
    const found = await w.post('/api/global/transaction-status', { request_id: body.reference })
    expect(found.body).toMatchObject({ status: 'success', reference: body.reference })
    expect(w.callbacks()[0]!.body['reference']).toBe(body.reference)
  })

  it('accepts payments of an offline collection by its older name', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { generation: 'previous' })
    const offline = { ...collection(w), network_code: undefined, is_offline: true }
    const { CheckoutRequestID } = (await w.post('/api/v2/payments', offline)).body
    const paid = await w.post('/sandbox/offline-payments', {
      paybill: '756756',
      account: `553125#${CheckoutRequestID}`,
      amount: offline.amount,
    })
    expect(paid.status).toBeLessThan(300)
  })

  it('applies to every world if set for the process', async () => {
    const { world: older } = await startSandbox({ SANDBOX_GENERATION: 'previous' })
    const w = older()
    expect((await w.post('/api/v2/payments', collection(w))).body.reference).toMatch(UUID)
    expect((await w.get('/sandbox/worlds/current')).body.settings.generation).toBe('previous')
  })
})
