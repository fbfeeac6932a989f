import { describe, expect, it } from 'vitest'
import { reasons } from '../../src/service/vocabulary/rails.ts'
import { testCards } from '../../src/service/domain/cards.ts'
import { statusOf, typed, waiting } from '../support/checkout.ts'
import { collection, globalPayment } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'
import { balance } from '../support/ledger.ts'

const { world } = await startSandbox()

const answer = (w: TestWorld, reference: string, body: object) =>
  w.post(`/sandbox/checkouts/${reference}/respond`, body)
const show = async (w: TestWorld, reference: string) => (await w.get(`/sandbox/checkouts/${reference}`)).body
const callbacksOf = (w: TestWorld) => w.callbacks().map(({ body }) => [body['status'], body['message']])

describe('a submitted card', () => {
  it('pays at once, and only its brand and last digits are stored', async () => {
    const w = world()
    const { reference } = await waiting(w)
    const paid = await answer(w, reference, {
      card: typed('4242-4242 42424242', { cvc: '987', name: 'Ann' }),
    })
    expect(paid.body).toMatchObject({
      state: 'closed',
      status: 'SUCCESS',
      reason: null,
      cards: [
        { brand: 'Visa', last4: '4242', outcome: 'approved', reason: null, at: '2026-06-13T12:00:00.000Z' },
      ],
      card_attempts_left: 0,
    })
    await w.settle()
    expect(callbacksOf(w)).toEqual([['success', 'The service request is processed successfully.']])
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_985)
    const kept = [
      (await w.get('/sandbox/export')).body,
      (await w.get('/sandbox/requests')).body,
      (await w.get(`/sandbox/transactions/${reference}/timeline`)).body,
      (await w.get('/sandbox/requests/har')).body,
    ].map((each) => JSON.stringify(each))
    for (const text of kept) expect(text).not.toMatch(/4242.?4242|"987"|Ann/)
  })

  it.each(testCards.filter(({ reason, three_d_secure }) => reason && !three_d_secure))(
    '$number: $title; without another attempt the payment fails with it',
    async ({ number, reason }) => {
      const w = world()
      const { reference } = await waiting(w)
      expect((await answer(w, reference, { card: typed(number) })).body).toMatchObject({
        state: 'open',
        status: 'QUEUED',
        reason: null,
        expires_at: '2026-06-13T12:10:00.000Z',
        cards: [{ last4: number.slice(-4), outcome: 'declined', reason }],
        card_attempts_left: 2,
      })
      await w.settle()
      const { code, text } = reasons[reason!]
      expect(code).toBeGreaterThan(0)
      expect(callbacksOf(w)).toEqual([['failed', text]])
      expect(await statusOf(w, reference)).toMatchObject({ status: 'failed', message: text })
      const { events } = (await w.get(`/sandbox/transactions/${reference}/timeline`)).body
      expect(events.map(({ summary }: { summary: string }) => summary)).toEqual(
        expect.arrayContaining([
          `the card ending in ${number.slice(-4)} was declined: ${reason}`,
          `FAILED: ${reason}`,
        ]),
      )
    },
  )

  it.each(testCards.filter(({ reason, three_d_secure }) => !reason && !three_d_secure))(
    '$number: $title',
    async ({ number, brand }) => {
      const w = world()
      const { reference } = await waiting(w)
      const cvc = brand === 'American Express' ? '1234' : '123'
      const paid = await answer(w, reference, { card: typed(number, { cvc }) })
      expect(paid.body).toMatchObject({ status: 'SUCCESS', cards: [{ brand, outcome: 'approved' }] })
    },
  )

  it('is approved if unlisted with a valid check digit', async () => {
    const w = world()
    const { reference } = await waiting(w)
    const paid = await answer(w, reference, { card: typed('6011000990139424') })
    expect(paid.body).toMatchObject({ status: 'SUCCESS', cards: [{ brand: 'Card', last4: '9424' }] })
  })

  it('may follow two declined ones; the third ends the payment', async () => {
    const w = world()
    const [kept, lost] = [await waiting(w), await waiting(w, { reference: 'order-2' })]
    for (const { reference } of [kept, lost])
      for (const number of ['4000000000000002', '4000000000009995'])
        await answer(w, reference, { card: typed(number) })
    const paid = await answer(w, kept.reference, { card: typed() })
    expect(paid.body).toMatchObject({ status: 'SUCCESS', cards: [{}, {}, { outcome: 'approved' }] })
    const failed = await answer(w, lost.reference, { card: typed('4000000000009979') })
    expect(failed.body).toMatchObject({
      state: 'closed',
      status: 'FAILED',
      reason: 'card_stolen',
      card_attempts_left: 0,
    })
  })

  it.each([
    ['insufficient-funds', '4242424242424242', 'insufficient_funds'],
    ['card-lost', '4242424242424242', 'card_lost'],
  ])('cannot change the failure that %s decided', async (scenario, number, reason) => {
    const w = world()
    const { reference } = await waiting(w, { prefer: `scenario=${scenario}` })
    const failed = await answer(w, reference, { card: typed(number) })
    expect(failed.body).toMatchObject({ status: 'FAILED', reason, cards: [{ outcome: 'declined', reason }] })
  })

  it('reports each error at once, without repetition', async () => {
    const w = world()
    const { reference } = await waiting(w)
    const refusals = [
      [
        typed('4242 4242 4242 4241', { expiry: '05/26', cvc: '12' }),
        'card.number has a wrong check digit: one of its digits is mistyped; card.expiry is in the past: it must be 06/26 or later; card.cvc must be 3 or 4 digits',
      ],
      [
        typed('', { expiry: '', cvc: '' }),
        'card.number is required; card.expiry is required; card.cvc is required',
      ],
      [
        typed('4242x', { expiry: '13/30', cvc: 'abc' }),
        'card.number must be digits, in groups if you like; card.expiry must be a month and a year, such as 12/30; card.cvc must be 3 or 4 digits',
      ],
      [typed('42424242'), 'card.number must have 12 to 19 digits, and has 8'],
      [typed('378282246310005'), 'card.cvc must be 4 digits'],
      [typed('4242424242424242', { number: 4242424242424242 }), 'card.number must be text, got [redacted]'],
      ['4242424242424242', 'card must be an object, got [redacted]'],
      [typed('4'.repeat(70)), 'card.number must be at most 64 characters long, got [redacted]'],
    ] as const
    for (const [card, message] of refusals)
      expect(await answer(w, reference, { card })).toMatchObject(refused(400, 'invalid_argument', message))
    expect(await show(w, reference)).toMatchObject({ state: 'waiting', cards: [], expires_at: null })
  })

  it.each(['06/26', '6/26', '06 / 2026', '0626', '06-26'])('may have the expiry %j', async (expiry) => {
    const w = world()
    const { reference } = await waiting(w)
    expect((await answer(w, reference, { card: typed(undefined, { expiry }) })).body.status).toBe('SUCCESS')
  })
})

describe('3-D Secure', () => {
  const asks = '4000002500003155'

  it.each([
    [asks, 'pass', 'closed', 'SUCCESS', 'approved', null],
    ['4000008260003178', 'pass', 'open', 'QUEUED', 'declined', 'insufficient_funds'],
    [asks, 'fail', 'open', 'QUEUED', 'declined', 'not_authenticated'],
  ])('of %s, answered with %s: %s', async (number, three_d_secure, state, status, outcome, reason) => {
    const w = world()
    const { reference } = await waiting(w)
    const asked = await answer(w, reference, { card: typed(number) })
    expect(asked.body).toMatchObject({
      state: 'three_d_secure',
      status: 'QUEUED',
      cards: [{ outcome: 'challenged', reason: null }],
    })
    const answered = await answer(w, reference, { three_d_secure })
    expect(answered.body).toMatchObject({ state, status, cards: [{ outcome, reason }] })
    await w.settle()
    expect((await statusOf(w, reference)).status).toBe(status === 'SUCCESS' ? 'success' : 'failed')
    expect((await show(w, reference)).reason).toBe(reason)
  })

  it('expires without an answer and never succeeds', async () => {
    const w = world()
    const { reference } = await waiting(w)
    await answer(w, reference, { card: typed(asks) })
    await w.advance(599_999)
    expect((await statusOf(w, reference)).status).toBe('queued')
    await w.settle()
    expect(callbacksOf(w)).toEqual([['failed', 'Transaction has expired']])
    expect(await show(w, reference)).toMatchObject({
      status: 'FAILED',
      reason: 'expired',
      cards: [{ outcome: 'abandoned', reason: null }],
    })
    const late = await answer(w, reference, { three_d_secure: 'pass' })
    expect(late).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /has already ended: it is FAILED \(expired\) since 2026-06-13T12:10:00Z$/,
      ),
    )
  })

  it('is abandoned for another card, which counts as one', async () => {
    const w = world()
    const { reference } = await waiting(w)
    for (let tried = 0; tried < 3; tried++) await answer(w, reference, { card: typed(asks) })
    expect(await show(w, reference)).toMatchObject({
      cards: [{ outcome: 'abandoned' }, { outcome: 'abandoned' }, { outcome: 'challenged' }],
      card_attempts_left: 0,
    })
    expect(await answer(w, reference, { card: typed() })).toMatchObject(
      refused(400, 'invalid_argument', 'card was not tried: this payment has no attempts left'),
    )
    expect((await answer(w, reference, { three_d_secure: 'fail' })).body).toMatchObject({
      status: 'FAILED',
      reason: 'not_authenticated',
    })
  })
})

describe('a checkout page', () => {
  it('waits for its payer once opened, and expires without one', async () => {
    const w = world()
    const { reference } = await waiting(w)
    expect(await show(w, reference)).toMatchObject({ state: 'waiting', opened_at: null })
    const opened = await answer(w, reference, { open: true })
    expect(opened.body).toMatchObject({
      state: 'open',
      opened_at: '2026-06-13T12:00:00.000Z',
      expires_at: '2026-06-13T12:10:00.000Z',
    })
    await w.settle()
    expect(callbacksOf(w)).toEqual([['failed', 'Transaction has expired']])
  })

  it.each(['late-success', 'callbacks-out-of-order'])(
    'never succeeds by itself later, by %s',
    async (scenario) => {
      const w = world()
      const { reference } = await waiting(w, { prefer: `scenario=${scenario}` })
      await answer(w, reference, { open: true })
      await w.settle()
      expect(w.callbacks().map(({ body }) => body['status'])).toEqual(['failed'])
      expect((await statusOf(w, reference)).status).toBe('failed')
    },
  )

  it.each([
    [{ pay: true }, 'SUCCESS', null],
    [{ cancel: true }, 'FAILED', 'cancelled'],
  ])('%j ends it: %s', async (body, status, reason) => {
    const w = world()
    const momo = (await w.post('/api/global/payments', globalPayment(w))).body
    const ended = await answer(w, momo.checkout_request_id, body)
    expect(ended.body).toMatchObject({ rail: 'momo', state: 'closed', status, reason })
    expect(await answer(w, momo.checkout_request_id, { cancel: true })).toMatchObject(
      refused(400, 'invalid_argument', /has already ended: it is/),
    )
  })

  it.each([
    [{}, 'one of open, card, three_d_secure, pay, cancel must be sent, got none'],
    [
      { pay: true, cancel: true },
      'one of open, card, three_d_secure, pay, cancel must be sent, got pay and cancel',
    ],
    [{ pay: false }, 'pay must be true, got false'],
    [
      { three_d_secure: 'pass' },
      'three_d_secure is only for a card that waits for 3-D Secure, and this payment has none',
    ],
    [{ three_d_secure: 'yes' }, /^three_d_secure must be one of pass, fail, got "yes"/],
    [{ cnacel: true }, 'cnacel is none of open, card, three_d_secure, pay, cancel (did you mean cancel?)'],
  ])('returns 400 for %j and keeps waiting', async (body, message) => {
    const w = world()
    const { reference } = await waiting(w)
    expect(await answer(w, reference, body)).toMatchObject(refused(400, 'invalid_argument', message))
    expect((await show(w, reference)).state).toBe('waiting')
  })

  it('returns 400 for a card on the momo rail and for payments without a page; 404 for unknown ones and other worlds', async () => {
    const w = world()
    const momo = (await w.post('/api/global/payments', globalPayment(w))).body.checkout_request_id
    expect(await answer(w, momo, { card: typed() })).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'card is only for card payments, and this payment uses momo; send pay instead',
      ),
    )
    const { reference } = (await w.post('/api/v2/payments', collection(w))).body
    expect(await answer(w, reference, { pay: true })).toMatchObject(
      refused(400, 'invalid_argument', /has no page: only a pay-in by POST \/api\/global\/payments has one/),
    )
    const other = world()
    await other.get('/api/v2/account/63')
    expect((await answer(other, momo, { pay: true })).status).toBe(404)
    expect((await other.get(`/sandbox/checkouts/${momo}`)).status).toBe(404)
  })

  it('is listed by state and page, with the address that opens it', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    const made = []
    for (const reference of ['order-1', 'order-2', 'order-3']) made.push(await waiting(w, { reference }))
    await answer(w, 'order-2', { open: true })
    await answer(w, 'order-3', { card: typed('4000002500003155') })
    const list = async (query = '') => {
      const { checkouts, next_before } = (await w.get(`/sandbox/checkouts${query}`)).body
      return [checkouts.map((each: { external_reference: string }) => each.external_reference), next_before]
    }
    expect(await list()).toEqual([['order-3', 'order-2', 'order-1'], null])
    expect(await list('?state=open')).toEqual([['order-2'], null])
    expect(await list('?state=waiting')).toEqual([['order-1'], null])
    expect(await list('?state=three_d_secure')).toEqual([['order-3'], null])
    const [, next] = await list('?limit=2')
    expect(await list(`?limit=2&before=${next}`)).toEqual([['order-1'], null])
    const { url } = await show(w, 'order-1')
    expect(new URL(url).pathname).toBe(made[0]!.path)
  })

  it('hides its address from read-only keys', async () => {
    const w = world()
    await waiting(w, { reference: 'order-1' })
    const { url } = (await w.viewer.get('/sandbox/checkouts')).body.checkouts[0]
    expect(url).toBe('http://sandbox.test/checkout/redacted')
    expect((await w.viewer.post('/sandbox/checkouts/order-1/respond', { pay: true })).status).toBe(403)
  })

  it('keeps its cards over a snapshot, an export and an import', async () => {
    const w = world()
    await waiting(w, { reference: 'order-1' })
    await answer(w, 'order-1', { card: typed('4000000000000002') })
    const snapshot = (await w.post('/sandbox/snapshots', {})).body
    const exported = (await w.get('/sandbox/export')).body
    await answer(w, 'order-1', { card: typed() })
    await w.post(`/sandbox/snapshots/${snapshot.id}/restore`)
    expect(await show(w, 'order-1')).toMatchObject({ state: 'open', cards: [{ outcome: 'declined' }] })
    await w.post('/sandbox/reset')
    expect((await w.get('/sandbox/checkouts/order-1')).status).toBe(404)
    await w.post('/sandbox/import', exported)
    expect(await show(w, 'order-1')).toMatchObject({
      state: 'open',
      cards: [{ outcome: 'declined' }],
      card_attempts_left: 2,
    })
  })

  it('accepts one of two simultaneous answers', async () => {
    const w = world()
    const { reference } = await waiting(w)
    const both = await Promise.all([
      answer(w, reference, { card: typed() }),
      answer(w, reference, { cancel: true }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
    await w.settle()
    expect(w.callbacks()).toHaveLength(1)
  })
})

it('GET /sandbox/test-cards lists every card with its effect', async () => {
  const { body } = await world().get('/sandbox/test-cards')
  expect(body.test_cards).toHaveLength(testCards.length)
  expect(body.test_cards[0]).toEqual({
    number: '4242424242424242',
    brand: 'Visa',
    title: 'Approved',
    reason: null,
    three_d_secure: false,
    cvc_digits: 3,
  })
})

it('a card leaves no trace in the log', async () => {
  const lines: string[] = []
  const { createLog } = await import('../../src/lib/log/log.ts')
  const log = createLog({
    level: 'debug',
    write: (line) => void lines.push(line),
    terminal: false,
    now: () => 0,
  })
  const { world } = await startSandbox({}, { log })
  const w = world()
  const { reference } = await waiting(w)
  await answer(w, reference, { card: typed('4242424242424241', { cvc: '987' }) })
  await answer(w, reference, { card: typed('4242424242424242', { cvc: '987' }) })
  await w.settle()
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.join('\n')).not.toMatch(/42424242|987"/)
})
