import { describe, expect, it } from 'vitest'
import { collection, globalPayment, withdrawal } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const path = '/api/global/transaction-status'

describe('getTransactionStatus', () => {
  it('200 queued with success true, then the same body as the callback', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/payments', collection(w))
    const queued = await w.post(path, { request_id: body.reference })
    expect(queued).toMatchObject({ status: 200, body: { success: true, status: 'queued', amount: 1000 } })
    await w.settle()
    const done = await w.post(path, { request_id: body.reference })
    expect(done.body).toEqual(w.callbacks()[0]?.body)
  })

  it('200 by every identifier of a collection', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/payments', collection(w))
    for (const request_id of [body.reference, body.CheckoutRequestID, 'order-1'])
      expect((await w.post(path, { request_id })).body.reference).toBe(body.reference)
  })

  it('200 by every identifier of a withdrawal and a global payment', async () => {
    const w = world()
    const withdrawn = (await w.post('/api/v2/withdraw', withdrawal(w))).body
    const paid = (await w.post('/api/global/payments', globalPayment(w))).body
    for (const { merchant_reference, checkout_request_id, conversation_id } of [withdrawn, paid])
      for (const request_id of [merchant_reference, checkout_request_id, conversation_id])
        expect((await w.post(path, { request_id })).body.reference).toBe(merchant_reference)
  })

  it.each(['momo', 'bank'])('200 by the receipt of a payment by %s that succeeded', async (rail) => {
    const w = world()
    const bank = { channel: 'bank', network_code: '68', account_number: '0100123456' }
    const sent = await w.post('/api/v2/withdraw', withdrawal(w, rail === 'bank' ? bank : {}))
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    const { body } = await w.post(path, { request_id: sent.body.merchant_reference })
    const request_id = body.provider_reference as string
    expect(await w.post(path, { request_id })).toMatchObject({ status: 200, body })
    const other = world()
    await other.post('/api/v2/payments', collection(other))
    await other.settle()
    for (const text of [request_id.toLowerCase(), `${request_id}0`, request_id.replace(/.$/, '?')])
      expect((await w.post(path, { request_id: text })).status).toBe(404)
    expect((await other.post(path, { request_id })).status).toBe(404)
  })

  it("returns the newest transaction with the same caller's reference", async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    const second = (await w.post('/api/v2/payments', collection(w))).body
    await w.settle()
    expect((await w.post(path, { request_id: 'order-1' })).body.reference).toBe(second.reference)
  })

  it('200 for the newest visible transaction, behind twenty newer ones with the same reference', async () => {
    const w = world()
    const { reference } = (await w.post('/api/v2/payments', collection(w))).body
    for (let n = 0; n < 20; n++) await w.post('/api/v2/payments', collection(w))
    await w.viewer.get('/api/v2/account/64')
    await w.world().change(({ rows }) => {
      const [first] = rows.find('transactions', 'identifier', reference)
      rows.put('transactions', { ...first!, account_id: 64 })
      const viewer = rows.get('apiKeys', 'viewer')!.user_id
      rows.delete('roles', `63:${viewer}`)
    })
    expect((await w.viewer.post(path, { request_id: 'order-1' })).body.reference).toBe(reference)
    const shown = await w.viewer.get('/sandbox/transactions/order-1')
    expect(shown).toMatchObject({ status: 200, body: { transaction: { reference } } })
  })

  it('200 for a viewer', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/payments', collection(w))
    expect((await w.viewer.post(path, { request_id: body.reference })).status).toBe(200)
  })

  it.each([
    [{}, 'request_id is required'],
    [{ request_id: 7 }, /^request_id must be text, got 7$/],
    [{ request_id: '' }, 'request_id must not be empty, got ""'],
  ])('400 for %o', async (body, message) => {
    expect(await world().post(path, body)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('404 for an unknown transaction, and one of another world', async () => {
    const other = world()
    const { body } = await other.post('/api/v2/payments', collection(other))
    expect(await world().post(path, { request_id: body.reference })).toMatchObject(
      refused(404, 'resource_not_found', `request_id ${body.reference} was not found`),
    )
  })

  it('404 with the value in quotes if it contains spaces', async () => {
    expect(await world().post(path, { request_id: ' order-1' })).toMatchObject(
      refused(404, 'resource_not_found', 'request_id " order-1" was not found'),
    )
  })
})
