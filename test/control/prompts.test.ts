import { describe, expect, it } from 'vitest'
import { reasons, type Reason } from '../../src/service/vocabulary/rails.ts'
import { eventStream } from '../support/event-stream.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox({ SANDBOX_PAYER: 'manual' })
const PHONE = '254712345678'

async function collect(w: TestWorld, changes = {}, headers = {}) {
  const { status, body } = await w.post('/api/v2/payments', collection(w, changes), headers)
  expect([status, body.error_message]).toEqual([201, undefined])
  return body.reference as string
}

const phone = async (w: TestWorld, number = PHONE) => (await w.get(`/sandbox/phones/${number}`)).body
const change = (w: TestWorld, body: object, number = PHONE) => w.patch(`/sandbox/phones/${number}`, body)
const answer = (w: TestWorld, body: object, id = 'order-1') => w.post(`/sandbox/prompts/${id}/respond`, body)
const type = (w: TestWorld, pin: string, id?: string) => answer(w, { pin }, id)

/** What callback, status look-up and timeline say of a payment, and that they say the same. */
async function ended(w: TestWorld, reference = 'order-1') {
  await w.settle()
  const status = (await w.post('/api/global/transaction-status', { request_id: reference })).body
  const callbacks = w.callbacks().filter(({ body }) => body['external_reference'] === reference)
  expect(callbacks.map(({ body }) => [body['status'], body['message']])).toEqual([
    [status.status, status.message],
  ])
  const { body } = await w.get(`/sandbox/transactions/${reference}/timeline`)
  const states = body.events.filter(({ kind }: { kind: string }) => kind === 'state')
  return { status: status.status, message: status.message, state: states.at(-1).summary }
}

const failed = (reason: Reason) => ({
  status: 'failed',
  message: reasons[reason].text,
  state: `FAILED: ${reason}`,
})
const paid = {
  status: 'success',
  message: 'The service request is processed successfully.',
  state: 'SUCCESS',
}

type Deed = readonly [what: string, reason: Reason, act: (w: TestWorld) => Promise<unknown>]

/** What a payer does at the prompt, and what the payment fails with. */
const done: readonly Deed[] = [
  ['types a wrong PIN', 'wrong_pin', (w) => type(w, '0000')],
  ['cancels', 'cancelled', (w) => answer(w, { cancel: true })],
  ['does nothing for a minute', 'expired', (w) => w.advance(60_000)],
  [
    'has too little money',
    'insufficient_funds',
    (w) => change(w, { balance: 999.99 }).then(() => type(w, '1234')),
  ],
  ['switches the phone off', 'unreachable', (w) => change(w, { on: false })],
  ['has an operator that fails', 'operator_error', (w) => change(w, { operator: 'fails' })],
  ['has a locked phone', 'subscriber_locked', (w) => change(w, { locked: true }).then(() => type(w, '1234'))],
]

/** What was done before the payment. */
const doneBefore: readonly Deed[] = [
  ['had switched the phone off', 'unreachable', (w) => change(w, { on: false })],
  ['is no subscriber', 'prompt_not_sent', (w) => change(w, { registered: false })],
  ['has an operator that is busy', 'operator_busy', (w) => change(w, { operator: 'busy' })],
]

describe('a payer', () => {
  it('pays with the right PIN', async () => {
    const w = world()
    const reference = await collect(w)
    const { status, body } = await type(w, '1234')
    expect([status, body]).toEqual([
      200,
      {
        id: reference,
        external_reference: 'order-1',
        phone: PHONE,
        account_id: 63,
        business: 'Demo Team',
        amount: 1000,
        currency: 'KES',
        text: 'Do you want to pay KES 1,000.00 to Demo Team, account order-1? Enter your PIN.',
        state: 'paid',
        reason: null,
        message: 'The service request is processed successfully.',
        created_at: '2026-06-13T12:00:00.000Z',
        expires_at: null,
        responded_at: '2026-06-13T12:00:00.000Z',
        ended_at: '2026-06-13T12:00:00.000Z',
      },
    ])
    expect(await ended(w)).toEqual(paid)
  })

  it.each(done)('%s: %s', async (_, reason, act) => {
    const w = world()
    await collect(w)
    await act(w)
    expect(await ended(w)).toEqual(failed(reason))
    const { body } = await w.get('/sandbox/prompts/order-1')
    expect(body).toMatchObject({ state: 'failed', reason, message: reasons[reason].text })
  })

  it.each(doneBefore)('%s: %s', async (_, reason, act) => {
    const w = world()
    await act(w)
    await collect(w)
    expect(await ended(w)).toEqual(failed(reason))
  })

  it('can fail a pay-in with every reason of payers and operators, except those of cards', () => {
    const byHand = new Set([...done, ...doneBefore].map(([, reason]) => reason))
    expect([...byHand].sort()).toEqual([
      'cancelled',
      'expired',
      'insufficient_funds',
      'operator_busy',
      'operator_error',
      'prompt_not_sent',
      'subscriber_locked',
      'unreachable',
      'wrong_pin',
    ])
  })

  it('locks the phone with three wrong PINs in a row, until it is unlocked', async () => {
    const w = world()
    for (const id of ['one', 'two', 'three', 'four', 'five']) await collect(w, { external_reference: id })
    expect((await type(w, '0000', 'one')).body.reason).toBe('wrong_pin')
    expect((await type(w, '0000', 'two')).body.reason).toBe('wrong_pin')
    expect(await phone(w)).toMatchObject({ locked: false, wrong_pins: 2 })
    expect((await type(w, '0000', 'three')).body.reason).toBe('subscriber_locked')
    expect((await type(w, '1234', 'four')).body.reason).toBe('subscriber_locked')
    const locked = await phone(w)
    expect(locked).toMatchObject({ locked: true, wrong_pins: 3 })
    expect(locked.messages[0].text).toMatch(/^Failed\. Your PIN is locked after three wrong ones/)
    await change(w, { locked: false })
    expect((await type(w, '1234', 'five')).body.state).toBe('paid')
  })

  it('resets the count of wrong PINs with the right one', async () => {
    const w = world()
    for (const pin of ['0000', '0000', '1234', '0000', '0000']) {
      const reference = await collect(w)
      await type(w, pin, reference)
    }
    expect(await phone(w)).toMatchObject({ locked: false, wrong_pins: 2 })
  })

  it('pays with a PIN of the phone’s own', async () => {
    const w = world()
    await collect(w)
    await change(w, { pin: '987654' })
    expect((await type(w, '1234')).body.reason).toBe('wrong_pin')
    const next = await collect(w)
    expect((await type(w, '987654', next)).body.state).toBe('paid')
  })

  it('receives no prompt for other kinds of global payments', async () => {
    const w = world()
    await w.post('/api/global/payments', globalPayment(w))
    expect((await type(w, '1234')).body.state).toBe('paid')
    expect(await ended(w)).toEqual(paid)
    await w.post('/api/v2/withdraw', withdrawal(w))
    await collect(w, { is_offline: true, network_code: undefined, external_reference: 'offline' })
    for (const id of ['payout-1', 'offline'])
      expect(await type(w, '1234', id)).toMatchObject(
        refused(404, 'resource_not_found', `prompt ${id} was not found`),
      )
  })
})

describe('a scripted failure', () => {
  it.each([
    ['the right PIN leads to it', { pin: '1234' }, 'insufficient_funds'],
    ['a wrong PIN has its own', { pin: '0000' }, 'wrong_pin'],
    ['so has who cancels', { cancel: true }, 'cancelled'],
  ] as const)('%s', async (_, body, reason) => {
    const w = world()
    await collect(w, {}, { prefer: 'scenario=insufficient-funds' })
    expect((await answer(w, body)).body.reason).toBe(reason)
    expect(await ended(w)).toEqual(failed(reason))
  })

  it('of a test number works the same way', async () => {
    const w = world()
    const { body } = await w.get('/sandbox/test-numbers')
    const numbers = JSON.stringify(body)
    const number = /07000000\d\d/.exec(numbers)![0]
    await collect(w, { phone_number: number })
    expect((await type(w, '1234')).body.state).toMatch(/^(paid|failed)$/)
  })
})

describe('with an automatic payer', () => {
  it('a timed-out wait explains how to hold prompts', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'automatic' })
    const { status, body } = await w.get('/sandbox/prompts/wait?phone=0712345678&timeout=0')
    expect(status).toBe(504)
    expect(body.error_message).toMatch(
      /the world's payer is automatic, so prompts do not wait for an answer; to change that, PATCH \/sandbox\/worlds\/current with payer manual$/,
    )
  })

  it('a prompt can be answered before it settles automatically', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'automatic' })
    await collect(w)
    expect((await w.get('/sandbox/prompts/order-1')).body).toMatchObject({
      state: 'waiting',
      expires_at: null,
    })
    expect((await type(w, '0000')).body.reason).toBe('wrong_pin')
    expect(await ended(w)).toEqual(failed('wrong_pin'))
    await collect(w, { external_reference: 'left-alone' })
    expect(await ended(w, 'left-alone')).toEqual(paid)
    expect((await type(w, '1234', 'left-alone')).body.error_message).toMatch(
      /has already ended: it was paid at/,
    )
  })

  it.each([
    [{ on: false }, 'unreachable'],
    [{ balance: 10 }, 'insufficient_funds'],
    [{ locked: true }, 'subscriber_locked'],
    [{ registered: false }, 'prompt_not_sent'],
  ] as const)('a phone changed to %j fails its payments too', async (changed, reason) => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'automatic' })
    await change(w, changed)
    await collect(w)
    expect(await ended(w)).toEqual(failed(reason))
  })
})

describe('an answer is rejected', () => {
  it.each([
    [{ pin: 'abcd' }, /^pin /],
    [{ pin: '123' }, /^pin /],
    [{ pin: '1234567' }, /^pin /],
    [{ pin: ' 1234' }, /^pin /],
    [{ pin: '١٢٣٤' }, /^pin /],
    [{ pin: 1234 }, /^pin /],
    [{ pin: '1'.repeat(100_000) }, /^pin /],
    [{ pin: '1234', cancel: true }, /^send either pin or cancel: true, got both$/],
    [{}, /^send either pin or cancel: true, got neither$/],
    [{ cancel: false }, /^cancel must be true/],
    [{ cancel: 'true' }, /^cancel /],
    [{ code: '1234' }, /code/],
    [[], /must be/],
  ])('with 400 for %j, and the prompt still waits', async (body, message) => {
    const w = world()
    await collect(w)
    expect(await answer(w, body)).toMatchObject(refused(400, 'invalid_argument', message))
    expect((await w.get('/sandbox/prompts/order-1')).body.state).toBe('waiting')
  })

  it('with 400 for a finished prompt, with its result', async () => {
    const w = world()
    const reference = await collect(w)
    await type(w, '0000')
    expect(await type(w, '1234')).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `prompt ${reference} has already ended: it failed at 2026-06-13T12:00:00Z: wrong_pin (The initiator information is invalid.)`,
      ),
    )
  })

  it('if another arrived at the same time, with the result', async () => {
    const w = world()
    await collect(w)
    const answers = await Promise.all([type(w, '1234'), answer(w, { cancel: true })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)!.body.error_message).toMatch(/has already ended: it /)
    expect((await ended(w)).status).toMatch(/^(success|failed)$/)
  })

  it('with 404 for a prompt of another world', async () => {
    const reference = await collect(world())
    const w = world()
    expect((await type(w, '1234', reference)).status).toBe(404)
    expect((await w.get(`/sandbox/prompts/${reference}`)).status).toBe(404)
  })

  it('with 403 for a read-only key, which sees prompts and phones without PINs', async () => {
    const w = world()
    await collect(w)
    expect((await w.viewer.post('/sandbox/prompts/order-1/respond', { pin: '1234' })).status).toBe(403)
    expect((await w.viewer.patch(`/sandbox/phones/${PHONE}`, { on: false })).status).toBe(403)
    expect((await w.viewer.get('/sandbox/prompts')).body.prompts).toHaveLength(1)
    const seen = (await w.viewer.get(`/sandbox/phones/${PHONE}`)).body
    expect([seen.pin, seen.waiting]).toEqual(['[redacted]', 1])
  })
})

describe('lists of prompts', () => {
  it('filter by state and phone, newest first, in pages', async () => {
    const w = world()
    for (const id of ['one', 'two', 'three']) await collect(w, { external_reference: id })
    await collect(w, { external_reference: 'other', phone_number: '0722000111' })
    await w.post('/api/v2/withdraw', withdrawal(w))
    await type(w, '1234', 'two')
    const listed = async (query: string) => {
      const { body } = await w.get(`/sandbox/prompts${query}`)
      return [
        body.prompts.map((each: { external_reference: string }) => each.external_reference),
        body.next_before,
      ]
    }
    expect(await listed('')).toEqual([['other', 'three', 'two', 'one'], null])
    expect(await listed('?state=waiting')).toEqual([['other', 'three', 'one'], null])
    expect(await listed('?state=paid')).toEqual([['two'], null])
    expect(await listed('?phone=%2B254712345678&state=waiting')).toEqual([['three', 'one'], null])
    const [page, before] = await listed('?phone=0712345678&limit=2')
    expect(page).toEqual(['three', 'two'])
    expect(await listed(`?phone=0712345678&limit=2&before=${before}`)).toEqual([['one'], null])
    expect((await w.get('/sandbox/prompts?state=open')).status).toBe(400)
    expect((await w.get('/sandbox/prompts?colour=red')).status).toBe(400)
  })

  it('wait for a prompt, and report the last one after a timeout', async () => {
    const w = world()
    await collect(w)
    await type(w, '1234')
    const late = await w.get('/sandbox/prompts/wait?phone=0712345678&timeout=0')
    expect([late.status, late.body.error_message, late.body.last.state]).toEqual([
      504,
      expect.stringMatching(
        /^no prompt waited on phone 254712345678 so far; the last one, \S+, was paid at 2026-06-13T12:00:00Z; the world's payer is manual$/,
      ),
      'paid',
    ])
    const waiting = w.get('/sandbox/prompts/wait?phone=0712345678&timeout=30s')
    await collect(w, { phone_number: '0722000111', external_reference: 'other' })
    await collect(w, { external_reference: 'awaited' })
    expect((await waiting).body).toMatchObject({ external_reference: 'awaited', state: 'waiting' })
    expect((await w.get('/sandbox/prompts/wait?phone=0722000111')).body.external_reference).toBe('other')
  })
})

describe('the events', () => {
  it('report a created, answered or expired prompt and a changed phone, without the PIN', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    await collect(w)
    await type(w, '0000')
    await collect(w, { external_reference: 'late' })
    await w.advance(60_000)
    const stream = await eventStream(sandbox, w.world().name, { 'last-event-id': '0' })
    const events = await stream.read(w.world().events.count)
    await stream.stop()
    const prompts = events.filter(({ type }) => type === 'prompt').map(({ data }) => data)
    expect(
      prompts.map(({ external_reference, state, reason }) => [external_reference, state, reason]),
    ).toEqual([
      ['order-1', 'waiting', null],
      ['order-1', 'failed', 'wrong_pin'],
      ['late', 'waiting', null],
      ['late', 'failed', 'expired'],
    ])
    expect(prompts[0]).toMatchObject({ phone: PHONE, amount: 1000, expires_at: '2026-06-13T12:01:00Z' })
    const phones = events.filter(({ type }) => type === 'phone')
    expect(phones.map(({ data }) => data)).toMatchObject([{ number: PHONE, wrong_pins: 1 }])
    expect(JSON.stringify(phones)).not.toContain('1234"')
  })
})

describe('the timeline', () => {
  it('shows the payer’s deadline and answer', async () => {
    const w = world()
    await collect(w)
    await w.advance(7_000)
    await type(w, '1234')
    const { body } = await w.get('/sandbox/transactions/order-1/timeline')
    expect(body.events.filter(({ kind }: { kind: string }) => kind === 'state')).toMatchObject([
      { summary: 'QUEUED' },
      { summary: 'waits for the payer until 2026-06-13T12:01:00.000Z' },
      { at: '2026-06-13T12:00:07.000Z', summary: 'the payer answered the prompt' },
      { at: '2026-06-13T12:00:07.000Z', summary: 'SUCCESS' },
    ])
  })
})
