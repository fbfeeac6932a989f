import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world } = await startSandbox()
const PHONE = '254712345678'

const phone = async (w: TestWorld, number = PHONE) => (await w.get(`/sandbox/phones/${number}`)).body
const change = (w: TestWorld, body: object, number = PHONE) => w.patch(`/sandbox/phones/${number}`, body)
const collect = (w: TestWorld, changes = {}) => w.post('/api/v2/payments', collection(w, changes))
const kes = (amount: number, limited = true) => ({ currency: 'KES', amount, limited })
const texts = ({ messages }: { messages: { text: string }[] }) => messages.map(({ text }) => text)

describe('an unchanged phone', () => {
  it('exists without being created', async () => {
    expect(await phone(world())).toEqual({
      number: PHONE,
      country: 'KE',
      carrier: 'Safaricom',
      network: 'M-Pesa',
      on: true,
      registered: true,
      operator: 'works',
      locked: false,
      waiting: 0,
      pin: '1234',
      wrong_pins: 0,
      balances: [kes(1_000_000, false)],
      prompts: [],
      messages: [],
      menu: [],
    })
  })

  it.each([
    ['0712345678', PHONE, 'KE'],
    ['+254712345678', PHONE, 'KE'],
    ['254112345678', '254112345678', 'KE'],
    ['+255754123456', '255754123456', 'TZ'],
    ['256772123456', '256772123456', 'UG'],
  ])('reads %s as %s', async (asked, number, country) => {
    expect(await phone(world(), encodeURIComponent(asked))).toMatchObject({ number, country })
  })

  it.each([
    ['254733000111', 'Airtel Kenya', 'Airtel Money'],
    ['254747000111', 'Jamii Telecommunications', 'M-Pesa'],
    ['256772123456', 'MTN Uganda', 'MTN MoMo'],
  ])('has the operator and the mobile money of %s', async (asked, carrier, network) => {
    expect(await phone(world(), asked)).toMatchObject({ carrier, network })
  })

  it.each([
    '555',
    '0812345678',
    '+14155552671',
    '4915112345678',
    'abc',
    '%20',
    '1'.repeat(32),
    '%F0%9F%93%B1',
  ])('rejects %s', async (number) => {
    const w = world()
    const expected = refused(400, 'invalid_argument', /^number must be a mobile number of KE, TZ, .*, got /)
    expect(await w.get(`/sandbox/phones/${number}`)).toMatchObject(expected)
    expect(await change(w, { on: false }, number)).toMatchObject(expected)
    expect((await w.get(`/sandbox/prompts?phone=${number}`)).status).toBe(400)
  })

  it('always has enough money; its payments change the balance and send SMS', async () => {
    const w = world()
    await collect(w, { amount: 250 })
    await w.settle()
    await w.post('/api/v2/withdraw', withdrawal(w))
    await collect(w, { external_reference: 'gone', phone_number: '0722000111' })
    await w.settle()
    const seen = await phone(w)
    expect(seen.balances).toEqual([kes(1_000_250, false)])
    expect(texts(seen)).toEqual([
      expect.stringMatching(
        /^U[A-Z0-9]{9} Confirmed\. You have received KES 500\.00 from Demo Team on 13\/6\/26 at 3:00 PM\.$/,
      ),
      expect.stringMatching(
        /^U[A-Z0-9]{9} Confirmed\. KES 250\.00 paid to Demo Team, account order-1 on 13\/6\/26 at 3:00 PM\.$/,
      ),
    ])
    const status = (await w.post('/api/global/transaction-status', { request_id: 'order-1' })).body
    expect(texts(seen)[1]).toContain(status.provider_reference)
    expect((await w.get('/sandbox/phones')).body).toEqual({ phones: [], next_before: null })
  })

  it('holds the currency of its country', async () => {
    const seen = await phone(world(), '255754123456')
    expect(seen.balances).toMatchObject([{ currency: 'TZS', limited: false }])
  })
})

describe('a balance', () => {
  it('changes with payments, payouts and reversals once it is set', async () => {
    const w = world()
    await change(w, { balance: 1_500 })
    const balances = async () => (await phone(w)).balances
    await collect(w)
    await w.settle()
    expect(await balances()).toEqual([kes(500)])
    await collect(w, { external_reference: 'too-much' })
    await w.settle()
    expect((await w.get('/sandbox/prompts/too-much')).body.reason).toBe('insufficient_funds')
    expect(await balances()).toEqual([kes(500)])
    await w.post('/api/v2/withdraw', withdrawal(w))
    await w.settle()
    expect(await balances()).toEqual([kes(1_000)])
    await w.advance(1_000)
    await w.post('/sandbox/transactions/order-1/simulate', { outcome: 'reversed' })
    expect(await balances()).toEqual([kes(2_000)])
    expect(texts(await phone(w))[0]).toMatch(
      /Reversed\. KES 1,000\.00 paid to Demo Team was returned to you on/,
    )
    await w.post('/sandbox/transactions/too-much/simulate', { outcome: 'success' })
    expect(await balances()).toEqual([kes(1_000)])
    expect(texts(await phone(w))).toContain(
      'Failed. You do not have enough money to pay KES 1,000.00 to Demo Team.',
    )
  })

  it('is separate for another currency', async () => {
    const w = world()
    await change(w, { balance: 10, currency: 'UGX' })
    expect((await phone(w)).balances).toEqual([
      kes(1_000_000, false),
      { currency: 'UGX', amount: 10, limited: true },
    ])
  })

  it('sends no SMS for a cancelled or expired prompt', async () => {
    const w = world()
    for (const reason of ['cancelled', 'expired', 'unreachable']) {
      await collect(w, { external_reference: reason })
      await w.post(`/sandbox/transactions/${reason}/simulate`, { outcome: 'failed', reason })
    }
    expect((await phone(w)).messages).toEqual([])
  })

  it('rejects payouts to an unregistered phone, and accepts them for one that is off', async () => {
    const w = world()
    await change(w, { on: false })
    await w.post('/api/v2/withdraw', withdrawal(w))
    await w.settle()
    await change(w, { registered: false })
    await w.post('/api/v2/withdraw', withdrawal(w, { external_reference: 'payout-2' }))
    await w.settle()
    const statusOf = async (request_id: string) =>
      (await w.post('/api/global/transaction-status', { request_id })).body
    expect((await statusOf('payout-1')).status).toBe('success')
    expect((await statusOf('payout-2')).message).toBe('The recipient is not a registered mobile-money user.')
  })
})

describe('a change of a phone', () => {
  it.each([
    [{}, /^the request body changes nothing; give at least one of on, /],
    [{ balance: -1 }, /^balance /],
    [{ balance: 1e10 }, /^balance /],
    [{ balance: 1.001 }, /^balance must have at most 2 decimals/],
    [{ balance: '5' }, /^balance /],
    [{ currency: 'KES' }, /^currency is only accepted together with balance/],
    [{ balance: 5, currency: 'EUR' }, /^currency must be one of/],
    [{ pin: '12a4' }, /^pin /],
    [{ operator: 'asleep' }, /^operator /],
    [{ on: 'no' }, /^on /],
    [{ off: true }, /off/],
    [{ on: null }, /^on /],
  ])('returns 400 for %j', async (body, message) => {
    expect(await change(world(), body)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('reports all errors at once', async () => {
    const { body } = await change(world(), { balance: 1.001, currency: 'EUR' })
    expect(body.error_message).toMatch(/currency must be one of/)
  })

  it('lists the phone while it differs from the default, the highest number first', async () => {
    const w = world()
    for (const number of ['0712345678', '0722000111', '255754123456']) await change(w, { on: false }, number)
    await change(w, { on: true }, '0722000111')
    const { body } = await w.get('/sandbox/phones?limit=1')
    expect(body).toEqual({
      phones: [
        {
          number: '255754123456',
          country: 'TZ',
          carrier: 'Vodacom Tanzania',
          network: 'M-Pesa',
          on: false,
          registered: true,
          operator: 'works',
          locked: false,
          waiting: 0,
        },
      ],
      next_before: '255754123456',
    })
    const rest = await w.get(`/sandbox/phones?before=${body.next_before}`)
    expect(rest.body.phones.map(({ number }: { number: string }) => number)).toEqual([PHONE])
  })

  it('returns 429 for more phones than a world keeps', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    await w.world().change(({ rows }) => {
      for (let n = 0; n < 1_000; n++) {
        const number = `2547${String(n).padStart(8, '0')}`
        const other = {
          on: false,
          registered: true,
          operator: 'works',
          pin: '1234',
          wrong_pins: 0,
          balances: {},
        } as const
        rows.put('phones', { number, ...other })
      }
    })
    expect(await change(w, { on: false })).toMatchObject(
      refused(429, 'resource_exhausted', /at most 1000 changed phones/),
    )
    expect((await change(w, { on: true }, '254700000000')).status).toBe(200)
    expect((await change(w, { on: false })).status).toBe(200)
  })

  it('belongs to its world, and survives a restart, a snapshot, an export and an import, but no reset', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json') }
    const first = await startSandbox(env)
    await change(first.world(), { balance: 5, pin: '9999' })
    await first.sandbox.close()
    const second = await startSandbox(env)
    const w = second.world()
    const changed = { pin: '9999', balances: [kes(5)] }
    expect(await phone(w)).toMatchObject(changed)
    const snapshot = (await w.post('/sandbox/snapshots', {})).body
    const exported = (await w.get('/sandbox/export')).body
    await w.post('/sandbox/reset')
    expect((await phone(w)).pin).toBe('1234')
    await w.post(`/sandbox/snapshots/${snapshot.id}/restore`)
    expect(await phone(w)).toMatchObject(changed)
    await w.post('/sandbox/reset')
    expect((await w.post('/sandbox/import', exported)).status).toBe(200)
    expect(await phone(w)).toMatchObject(changed)
    expect((await phone(second.world())).pin).toBe('1234')
  })
})

describe('the menu', () => {
  const offline = (w: TestWorld, changes = {}) =>
    collect(w, { is_offline: true, network_code: undefined, ...changes })
  const pay = (w: TestWorld, body: object, number = PHONE) =>
    w.post(`/sandbox/phones/${number}/payments`, body)

  it('lists the offline collections of the phone, and pays one', async () => {
    const w = world()
    const { body } = await offline(w)
    const [offer] = (await phone(w)).menu
    expect(offer).toEqual({
      transaction: body.reference,
      business: 'Demo Team',
      business_number: '756756',
      account_number: `553125#${body.CheckoutRequestID}`,
      amount: 1000,
      currency: 'KES',
      expires_at: '2026-06-14T12:00:00.000Z',
    })
    const { business_number, account_number, amount } = offer
    const answer = await pay(w, { business_number, account_number, amount })
    expect([answer.status, answer.body.status]).toEqual([200, 'success'])
    const seen = await phone(w)
    expect([seen.menu, seen.balances]).toEqual([[], [kes(999_000, false)]])
    expect(texts(seen)[0]).toContain('KES 1,000.00 paid to Demo Team, account order-1')
    await w.settle()
    expect(w.callbacks()).toMatchObject([{ body: { status: 'success', external_reference: 'order-1' } }])
  })

  it('pays a collection of another phone with its own money and SMS', async () => {
    const w = world()
    const { body } = await offline(w)
    await change(w, { balance: 1_200 }, '0722000111')
    const typed = {
      business_number: '756756',
      account_number: `553125#${body.CheckoutRequestID}`,
      amount: 1000,
    }
    expect((await pay(w, typed, '0722000111')).status).toBe(200)
    const payer = await phone(w, '0722000111')
    expect([payer.balances, payer.messages.length, (await phone(w)).messages]).toEqual([[kes(200)], 1, []])
  })

  it.each([
    ['another paybill', { business_number: '1' }, /^paybill/],
    ['a wrong account', { account_number: '553125#1' }, /belongs to no offline collection/],
    ['no account, as at a till', { account_number: undefined }, /^account/],
    ['an unknown field', { till: '5' }, /till/],
    ['no money at all', { amount: 0 }, /^amount/],
    ['a negative amount', { amount: -5 }, /^amount/],
  ])('returns 400 for %s and pays nothing', async (_, wrong, message) => {
    const w = world()
    const { body } = await offline(w)
    const typed = {
      business_number: '756756',
      account_number: `553125#${body.CheckoutRequestID}`,
      amount: 1000,
    }
    expect(await pay(w, { ...typed, ...wrong })).toMatchObject(refused(400, 'invalid_argument', message))
    expect((await phone(w)).menu).toHaveLength(1)
  })

  it.each([
    [{ on: false }, /is off/],
    [{ locked: true }, /is locked/],
    [{ registered: false }, /is not registered/],
    [{ operator: 'busy' }, /is busy/],
    [{ balance: 999 }, /^amount KES 1,000\.00 is more than phone 254712345678 holds, KES 999\.00/],
  ])('returns 400 on a phone changed to %j', async (changed, message) => {
    const w = world()
    const { body } = await offline(w)
    await change(w, changed)
    const typed = {
      business_number: '756756',
      account_number: `553125#${body.CheckoutRequestID}`,
      amount: 1000,
    }
    expect(await pay(w, typed)).toMatchObject(refused(400, 'invalid_argument', message))
  })
})

it('shows a name with markup unchanged in prompts and messages', async () => {
  const w = world()
  await w.get('/api/v2/account/63')
  await w.world().change(({ rows }) => {
    rows.put('teams', { ...rows.get('teams', 63)!, name: '<b>"Shop" & \u202Emoc</b>' })
  })
  await w.post('/api/global/payments', globalPayment(w))
  const { prompts } = await phone(w)
  expect(prompts[0].business).toBe('<b>"Shop" & \u202Emoc</b>')
})
