import { describe, expect, it } from 'vitest'
import { collection } from '../../support/requests.ts'
import { call, refused, startSandbox } from '../../support/sandbox.ts'

const { world, sandbox } = await startSandbox({ SANDBOX_EXTENSIONS: 'on' })

describe('wallets and balances', () => {
  it('404 for a payment wallet that does not exist yet', async () => {
    const asked = '/api/v2/wallets?wallet_type=payment_wallet&account_id=64'
    expect(await world().get(asked)).toMatchObject(refused(404, 'resource_not_found', 'wallet not found'))
  })

  it.each([
    ['', 'wallet_type is required'],
    ['wallet_type=SERVICE', /^wallet_type must be one of service_wallet, payment_wallet/],
    ['wallet_type=service_wallet&wallet_type=payment_wallet', /^wallet_type must be sent once/],
  ])('400 for /api/v2/wallets?%s', async (query, message) => {
    expect(await world().get(`/api/v2/wallets?${query}`)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('a wallet channel has its current and previous balance and the last reference', async () => {
    const w = world()
    const plain = async () => (await w.get('/api/v2/payment_channels/1504')).body.balance_plain
    expect(await plain()).toEqual({ last_balance: 100_000, balance: 100_000, last_reference: '' })
    const { reference } = (await w.post('/api/v2/payments', collection(w, { amount: 1000 }))).body
    await w.settle()
    expect(await plain()).toEqual({ last_balance: 101_000, balance: 100_985, last_reference: reference })
    expect((await w.get('/api/v2/payment_channels/1502')).body).not.toHaveProperty('balance_plain')
  })

  it("lists balances by currency, the Team's own first", async () => {
    const { balances: held } = (await world().get('/api/global/accounts/65/balance')).body
    expect(held[0]).toMatchObject({ currency: 'TZS', payment_wallet: 5_000_000 })
    expect((await world().get('/api/global/accounts/9999/balance')).status).toBe(404)
  })
})

describe('POST /api/v2/payment_channels', () => {
  it('creates a channel that can be listed and collected into', async () => {
    const w = world()
    const made = await w.post('/api/v2/payment_channels', { channel_type: 'till', short_code: '700100' })
    expect([made.status, made.body.transaction_type]).toEqual([200, 'CustomerBuyGoodsOnline'])
    const listed = (await w.get('/api/v2/payment_channels?per=1')).body
    expect(listed.payment_channels).toEqual([made.body])
    const into = { ...collection(w), network_code: undefined, channel_id: made.body.id }
    expect((await w.post('/api/v2/payments', into)).status).toBe(201)
  })

  it.each([
    [{ channel_type: 'shop', short_code: '1' }, /^channel_type must be one of/],
    [{ channel_type: 'bank', short_code: '1' }, /^account_number is required for channel_type bank$/],
    [{ channel_type: 'till', short_code: ' ' }, /^short_code must not be blank/],
    [{ channel_type: 'till', short_code: '1', account_id: 65 }, /^account_id must be a Team that holds KES/],
  ])('400 for %j', async (body, message) => {
    const answer = await world().post('/api/v2/payment_channels', body)
    expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
  })
})

describe('reference data', () => {
  it("returns the default tariff without credentials, and the world's tariff with credentials", async () => {
    const w = world()
    await w.post('/sandbox/snapshots')
    await w.patch('/sandbox/worlds/current', { costs: [{ up_to: 100, cost: 2 }, { cost: 3 }] })
    expect((await w.get('/api/transaction_fees')).body.transaction_fees).toEqual([
      { from: 0, to: 100, cost: 2 },
      { from: 100, to: null, cost: 3 },
    ])
    const open = await call(sandbox, 'GET', '/api/transaction_fees')
    expect([open.status, open.body.transaction_fees[1]]).toEqual([200, { from: 49, to: 499, cost: 4.62 }])
    const wrong = { authorization: `Basic ${btoa('demo:wrong')}` }
    expect((await call(sandbox, 'GET', '/api/transaction_fees', undefined, wrong)).status).toBe(401)
  })

  it('has a unique code and paybill for every bank', async () => {
    const { bank_paybills } = (await world().get('/api/v2/bank_paybills')).body
    expect(bank_paybills[0]).toEqual({ code: '01', name: 'KCB Bank', paybill: '522522' })
    const paybills = bank_paybills.map(({ paybill }: { paybill: string }) => paybill)
    expect([paybills.length, new Set(paybills).size]).toEqual([34, 34])
  })

  it.each([
    [
      { from: 'KES', to: 'TZS', amount: 1000 },
      { rate: 19, convertedAmount: 19_000 },
    ],
    [
      { from: 'KES', to: 'KES', amount: 0.01 },
      { rate: 1, convertedAmount: 0.01 },
    ],
    [
      { from: 'KES', to: 'UGX', amount: 4.62 },
      { rate: 28, convertedAmount: 129 },
    ],
    [
      { from: 'UGX', to: 'KES', amount: 100 },
      { rate: 0.03571428571, convertedAmount: 3.57 },
    ],
    [
      { from: 'UGX', to: 'RWF', amount: 1000 },
      { rate: 0.3928571429, convertedAmount: 393 },
    ],
  ])('%j', async (body, expected) => {
    expect((await world().post('/api/currency/convert', body)).body).toMatchObject({ ...body, ...expected })
  })

  it.each([
    [{ from: 'kes', to: '__proto__', amount: 1 }, /^from must be one of .+; to must be one of/],
    [{ from: 'KES', to: 'TZS', amount: 0 }, /^amount must be more than 0/],
    [{ from: 'KES', to: 'TZS', amount: 1e12 }, /^amount must be at most/],
    [{ from: 'UGX', to: 'KES', amount: 0.5 }, /^amount must be a whole number of UGX/],
  ])('400 for %j', async (body, message) => {
    const answer = await world().post('/api/currency/convert', body)
    expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
  })
})
