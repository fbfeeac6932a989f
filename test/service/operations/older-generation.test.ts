import { describe, expect, it } from 'vitest'
import { balances } from '../../support/ledger.ts'
import { collection, withdrawal } from '../../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../../support/sandbox.ts'

const { world } = await startSandbox({ SANDBOX_EXTENSIONS: 'on' })

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const CHECKOUT = /^ws_CO_\d{23}$/
const topUp = { amount: 500, phone_number: '0712345678' }
const page = async (w: TestWorld, query = '') => (await w.get(`/api/v2/transactions?${query}`)).body
const serviceWallet = async (w: TestWorld, account_id = 63) =>
  (await w.get(`/api/v2/wallets?wallet_type=service_wallet&account_id=${account_id}`)).body.available_balance

describe('GET /api/v2/transaction-status', () => {
  it('returns a payment by each of its identifiers, in each state', async () => {
    const w = world()
    const { reference, CheckoutRequestID } = (await w.post('/api/v2/payments', collection(w))).body
    const asked = `/api/v2/transaction-status?reference=${reference}`
    const queued = { success: true, status: 'QUEUED', provider_reference: '', third_party_reference: '' }
    expect((await w.get(asked)).body).toMatchObject(queued)
    await w.settle()
    const { body } = await w.get(asked)
    expect(body).toEqual({
      success: true,
      status: 'SUCCESS',
      reference,
      CheckoutRequestID,
      provider_reference: expect.stringMatching(/^[A-Z\d]{10}$/),
      third_party_reference: body.provider_reference,
      transaction_date: '2026-06-13T12:00:02Z',
      provider: 'm-pesa',
    })
    for (const name of [CheckoutRequestID, 'order-1'])
      expect((await w.get(`/api/v2/transaction-status?reference=${name}`)).body.reference).toBe(reference)
  })

  it("404 with the service's message for unknown payments and those of other worlds", async () => {
    const [w, other] = [world(), world()]
    const { reference } = (await w.post('/api/v2/payments', collection(w))).body
    const text = 'transaction with the given reference not found'
    for (const [asking, name] of [
      [w, 'order-9'],
      [other, reference],
    ] as const)
      expect(
        await asking.get(`/api/v2/transaction-status?reference=${encodeURIComponent(name)}`),
      ).toMatchObject(refused(404, 'resource_not_found', text))
  })

  it('counts as a status query for payments that wait for one, and appears in the timeline', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/payments', collection(w), {
      prefer: 'scenario=final-at-third-status-query',
    })
    const asked = `/api/v2/transaction-status?reference=${body.reference}`
    const seen = [await w.get(asked), await w.get(asked), await w.get(asked)].map((each) => each.body.status)
    expect(seen).toEqual(['QUEUED', 'QUEUED', 'SUCCESS'])
    const { events } = (await w.get(`/sandbox/transactions/${body.reference}/timeline`)).body
    expect(events.filter(({ kind }: { kind: string }) => kind === 'status_query')).toHaveLength(3)
  })
})

describe('POST /api/v2/topup', () => {
  it('fills the service wallet when paid, and the ledger balances', async () => {
    const w = world()
    const before = await serviceWallet(w)
    const { status, body } = await w.post('/api/v2/topup', topUp)
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        status: 'QUEUED',
        reference: expect.stringMatching(UUID),
        CheckoutRequestID: expect.stringMatching(CHECKOUT),
      },
    ])
    expect(await serviceWallet(w)).toBe(before)
    await w.settle()
    expect(await serviceWallet(w)).toBe(before + 500)
    const ledger = (await w.get(`/sandbox/ledger?transaction=${body.reference}`)).body
    expect([ledger.balanced, ledger.postings.map((each: { lines: unknown }) => each.lines)]).toEqual([
      true,
      [
        [
          expect.objectContaining({ account: 'outside:KES', amount: -500 }),
          expect.objectContaining({ account: 'team:63:service_wallet:KES', amount: 500 }),
        ],
      ],
    ])
  })

  it('ends like a collection for reserved numbers and scenarios', async () => {
    const w = world()
    const before = await serviceWallet(w)
    const cancelled = await w.post('/api/v2/topup', { ...topUp, phone_number: '254700000002' })
    const wished = await w.post('/api/v2/topup', topUp, { prefer: 'outcome=failed' })
    const scripted = await w.post('/api/v2/topup', topUp, { prefer: 'code=503' })
    expect(scripted).toMatchObject({ status: 503, body: { error_code: 'unavailable' } })
    await w.settle()
    for (const { body } of [cancelled, wished])
      expect((await w.get(`/api/v2/transaction-status?reference=${body.reference}`)).body).toMatchObject({
        success: false,
        status: 'FAILED',
      })
    expect(await serviceWallet(w)).toBe(before)
  })

  it('returns the money if reversed', async () => {
    const w = world()
    const before = await serviceWallet(w)
    const { reference } = (await w.post('/api/v2/topup', topUp)).body
    await w.settle()
    await w.post(`/sandbox/transactions/${reference}/simulate`, { outcome: 'reversed' })
    expect(await serviceWallet(w)).toBe(before)
    const { transactions } = await page(w)
    expect(transactions.map((row: { amount: number }) => row.amount)).toEqual([-500, 500])
  })

  it('lets a Team without KYC fill its service wallet', async () => {
    const w = world()
    expect((await w.post('/api/v2/topup', { ...topUp, account_id: 64 })).status).toBe(201)
    await w.settle()
    expect(await balances(w)).toMatchObject({ 'team:64:service_wallet:KES': 500 })
  })

  it.each([
    [{}, /^amount is required; phone_number is required$/],
    [{ ...topUp, amount: -1 }, /^amount must be from KES 1\.00 to KES 150,000\.00, got -1/],
    [{ ...topUp, amount: 1e300 }, /^amount must be/],
    [{ ...topUp, amount: 1.005 }, /^amount must have at most 2 decimals in KES/],
    [{ ...topUp, amount: '500' }, /^amount must be a number/],
    [{ ...topUp, phone_number: '<b>' }, /^phone_number must be a Kenyan mobile number/],
    [{ ...topUp, account_id: 65 }, /^account_id must be a Team that holds KES/],
    [[topUp], /^the request body must be/],
  ])('400 for %j', async (body, message) => {
    expect(await world().post('/api/v2/topup', body)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('403 for a viewer', async () => {
    const w = world()
    expect((await w.viewer.post('/api/v2/topup', topUp)).status).toBe(403)
    expect((await w.viewer.get('/api/v2/transactions')).status).toBe(200)
  })
})

describe('GET /api/v2/transactions', () => {
  it('lists booked amounts and charges separately, newest first', async () => {
    const w = world()
    const { reference } = (await w.post('/api/v2/payments', collection(w, { amount: 1000 }))).body
    await w.settle()
    const { transactions, pagination } = await page(w)
    expect(pagination).toEqual({ count: 2, page: 1, per: 20, num_pages: 1, next_page: null, prev_page: null })
    expect(transactions).toMatchObject([
      {
        transaction_type: 'service_charge',
        amount: 15,
        transaction_reference: reference,
        provider_reference: `cost_${reference}`,
        wallet_balance: 100_985,
      },
      {
        transaction_type: 'inbound_payment',
        amount: 1000,
        transaction_reference: reference,
        provider_reference: expect.stringMatching(/^[A-Z\d]{10}$/),
        cost: 15,
        wallet_balance: 101_000,
        gateway: 'm-pesa',
        beneficiary_number: '254712345678',
        external_reference: 'order-1',
      },
    ])
    expect(await balances(w)).toMatchObject({ 'team:63:wallet:KES': 100_985 })
  })

  it('has rows for top-ups, payouts, channels and funding, but not for unpaid payments', async () => {
    const w = world()
    await w.post('/api/v2/topup', topUp)
    await w.settle()
    await w.post('/api/v2/withdraw', withdrawal(w, { amount: 500 }))
    await w.settle()
    await w.post('/api/v2/payments', { ...collection(w), network_code: undefined, channel_id: 1501 })
    await w.settle()
    await w.post('/api/v2/payments', collection(w, { phone_number: '254700000002' }))
    await w.settle()
    await w.post('/sandbox/teams/63/fund', { wallet: 'service_wallet', amount: 7 })
    const { transactions } = await page(w)
    const seen = transactions.map((row: Record<string, unknown>) => [
      row['transaction_type'],
      row['amount'],
      row['wallet_balance'],
    ])
    const { amount } = collection(w) as { amount: number }
    const cost = 10_507 - seen[1][2]
    expect(seen).toEqual([
      ['wallet_top_up', 7, seen[1][2] + 7],
      ['service_charge', expect.any(Number), expect.any(Number)],
      ['inbound_payment', amount, 10_500],
      ['service_charge', 8, 99_492],
      ['outbound_payment', 500, 99_500],
      ['wallet_top_up', 500, 10_500],
    ])
    expect(cost).toBe(7 + seen[1][1])
  })

  it('ends with the ledger balance of each wallet', async () => {
    const w = world()
    for (let n = 0; n < 12; n++) {
      await w.post('/api/v2/payments', collection(w, { amount: 100 + n }))
      await w.post('/api/v2/payments', { ...collection(w), network_code: undefined, channel_id: 1501 })
      await w.post('/api/v2/topup', { ...topUp, amount: 10 + n })
      await w.post('/api/v2/withdraw', withdrawal(w, { amount: 50 + n }))
    }
    await w.settle()
    const { transactions } = await page(w, 'per=100')
    const lastTopUp = transactions.find(
      (row: { transaction_type: string }) => row.transaction_type === 'wallet_top_up',
    )
    const held = await balances(w)
    expect(lastTopUp.wallet_balance).toBe(held['team:63:service_wallet:KES'])
    expect(transactions[0].wallet_balance).toBe(held['team:63:wallet:KES'])
    expect((await w.get('/sandbox/ledger')).body.balanced).toBe(true)
  })

  it('is paginated', async () => {
    const w = world()
    for (let n = 0; n < 3; n++) await w.post('/api/v2/payments', collection(w))
    await w.settle()
    const ids = async (query: string) =>
      (await page(w, query)).transactions.map((row: { id: number }) => row.id)
    expect([await ids('per=4'), await ids('page=2&per=4'), await ids('page=3&per=4')]).toEqual([
      [6, 5, 4, 3],
      [2, 1],
      [],
    ])
    expect((await page(w, 'page=2&per=4')).pagination).toMatchObject({ next_page: null, prev_page: 1 })
  })

  it("lists one Team, by default the API key's", async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    expect((await page(w, 'account_id=64')).pagination.count).toBe(0)
    expect((await page(w, 'account_id=63')).pagination.count).toBe(2)
    expect((await w.get('/api/v2/transactions?account_id=9999')).status).toBe(404)
  })

  it('is reset, exported, imported and archived along with its transactions', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    const before = await page(w)
    const exported = (await w.get('/sandbox/export')).body
    await w.post('/sandbox/reset')
    expect((await page(w)).pagination.count).toBe(0)
    expect((await w.post('/sandbox/import', exported)).status).toBe(200)
    expect(await page(w)).toEqual(before)
    await w.patch('/sandbox/worlds/current', { retention: '1' })
    for (let n = 0; n < 4; n++) await w.post('/api/v2/payments', collection(w))
    await w.settle()
    expect((await page(w)).pagination.count).toBeLessThan(2 + 8)
    expect((await w.get('/sandbox/ledger')).body.balanced).toBe(true)
  })

  it('has negative rows for reversals', async () => {
    const w = world()
    const { reference } = (await w.post('/api/v2/payments', collection(w), { prefer: 'outcome=reversed' }))
      .body
    await w.settle()
    expect((await w.get(`/api/v2/transaction-status?reference=${reference}`)).body).toMatchObject({
      success: false,
      status: 'REVERSED',
    })
    const { transactions } = await page(w)
    expect(transactions.map((row: { amount: number }) => Math.sign(row.amount))).toEqual([-1, -1, 1, 1])
    expect(transactions[0].wallet_balance).toBe(100_000)
  })
})
