import { every } from '../support/rows.ts'
import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { call, NOON, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { sandbox, world: newWorld, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const pay = async (world: TestWorld, changes: object = {}) =>
  (await world.post('/api/v2/payments', collection(world, changes))).body.reference as string

/** A world with one payment whose callback was delivered. */
async function paid(changes: object = {}) {
  answerOf.next = () => ({ status: 200, error: '', headers: { server: 'shop' }, body: 'thanks' })
  const world = newWorld()
  const reference = await pay(world, changes)
  await world.settle()
  return { world, reference }
}

describe('GET /sandbox/callbacks', () => {
  it('lists callbacks, newest first', async () => {
    const { world, reference } = await paid()
    const second = await pay(world, { external_reference: 'order-2' })
    await world.settle()
    const { status, body } = await world.get('/sandbox/callbacks')
    expect(status).toBe(200)
    expect(body.callbacks.map((each: { transaction: string }) => each.transaction)).toEqual([
      second,
      reference,
    ])
    expect(body.callbacks[1]).toMatchObject({
      state: 'delivered',
      external_reference: 'order-1',
      attempt_count: 1,
      last_status: 200,
      next_attempt_at: null,
    })
    expect(body.callbacks[1].event_id).toBe(world.callbacks()[0]!.headers['webhook-id'])
  })

  it('filters by transaction, reference, state, time and text', async () => {
    const { world, reference } = await paid()
    answerOf.next = () => ({ status: 410, error: '' })
    await pay(world, { external_reference: 'order-2' })
    await world.advance(3_600_000)
    const count = async (query: string) =>
      (await world.get(`/sandbox/callbacks?${query}`)).body.callbacks.length
    expect(await count(`transaction=${reference}`)).toBe(1)
    expect(await count(`transaction=${reference}&reference=order-1`)).toBe(1)
    expect(await count(`transaction=${reference}&reference=order-2`)).toBe(0)
    expect(await count('reference=order-2&state=failed')).toBe(1)
    expect(await count('state=delivered')).toBe(1)
    expect(await count('state=pending')).toBe(0)
    expect(await count(`since=${new Date(NOON + 3_000).toISOString()}`)).toBe(1)
    expect(await count('transaction=unknown')).toBe(0)
    expect(await count('search=ORDER-2')).toBe(1)
    expect(await count(`search=${world.callbacks()[0]!.headers['webhook-id']}`)).toBe(1)
    expect(await count('search=order-&state=delivered')).toBe(1)
    expect(await count('search=no-such-text')).toBe(0)
    for (const name of ['checkout_request_id', 'provider_reference'])
      expect(
        await count(`search=${(await world.get('/sandbox/transactions/order-1')).body.transaction[name]}`),
      ).toBe(1)
  })

  it('finds and resends those that fail, pending ones too', async () => {
    const { world } = await paid()
    answerOf.next = () => ({ status: 410, error: '' })
    await pay(world, { external_reference: 'order-2' })
    await world.settle()
    answerOf.next = () => ({ status: 500, error: '' })
    await pay(world, { external_reference: 'order-3' })
    await world.advance(5_000)
    const { callbacks } = (await world.get('/sandbox/callbacks?state=failing')).body
    expect(callbacks).toMatchObject([
      { external_reference: 'order-3', state: 'pending' },
      { external_reference: 'order-2', state: 'failed' },
    ])
    const { body } = await world.post('/sandbox/callbacks/resend', { state: 'failing', search: 'order-3' })
    expect(body).toMatchObject({ resent: 1, more: false })
  })

  it('sends a resent callback in place of its waiting retry, however often it is resent', async () => {
    const { world } = await paid()
    answerOf.next = () => ({ status: 500, error: '' })
    await pay(world, { external_reference: 'order-2' })
    await world.advance(2_000)
    const attempts = async () =>
      (await world.get('/sandbox/callbacks?reference=order-2')).body.callbacks[0].attempt_count
    const before = await attempts()
    answerOf.next = () => ({ status: 200, error: '' })
    for (let n = 0; n < 3; n++) await world.post('/sandbox/callbacks/resend', { state: 'failing' })
    await world.advance(86_400_000)
    expect(await attempts()).toBe(before + 1)
  })

  it('pages through all', async () => {
    const { world } = await paid()
    for (const reference of ['order-2', 'order-3']) await pay(world, { external_reference: reference })
    await world.settle()
    const first = (await world.get('/sandbox/callbacks?limit=2')).body
    const second = (await world.get(`/sandbox/callbacks?limit=2&before=${first.next_before}`)).body
    const ids = [...first.callbacks, ...second.callbacks].map((each: { id: number }) => each.id)
    expect([ids, second.next_before]).toEqual([[3, 2, 1], null])
  })

  it('excludes other worlds', async () => {
    await paid()
    expect((await newWorld().get('/sandbox/callbacks')).body.callbacks).toEqual([])
  })

  it('returns 400 for an unknown state', async () => {
    expect(await newWorld().get('/sandbox/callbacks?state=sent')).toMatchObject(
      refused(400, 'invalid_argument', /state must be one of pending, delivered, failed/),
    )
  })

  it('returns 401 without credentials', async () => {
    const { status } = await call(sandbox, 'GET', '/sandbox/callbacks')
    expect(status).toBe(401)
  })
})

describe('GET /sandbox/callbacks/{id}', () => {
  it('returns every attempt with its request and response', async () => {
    answerOf.next = () => ({ status: null, error: 'connection refused', advice: 'start the receiver' })
    const world = newWorld()
    await pay(world)
    await world.advance(2_000)
    answerOf.next = () => ({ status: 200, error: '', headers: { server: 'shop' }, body: 'thanks' })
    await world.settle()
    const { status, body } = await world.get('/sandbox/callbacks/1')
    expect(status).toBe(200)
    expect(body.body).toBe(world.callbacks()[0]!.text)
    expect(body.attempts).toMatchObject([
      { number: 1, response: null, error: 'connection refused', advice: 'start the receiver' },
      {
        number: 2,
        response: { status: 200, headers: { server: 'shop' }, body: 'thanks' },
        next_attempt_at: null,
      },
    ])
    expect(body.attempts[0].next_attempt_at).toBe(body.attempts[1].at)
    expect(body.attempts[1].request.body).toBe(body.body)
    expect(body.attempts[1].request.headers).toEqual(world.callbacks()[1]!.headers)
  })

  it('returns 404 for an unknown callback, and for another world’s', async () => {
    await paid()
    expect(await newWorld().get('/sandbox/callbacks/1')).toMatchObject(
      refused(404, 'resource_not_found', 'callback 1 was not found'),
    )
  })

  it('returns 400 for an id that is not a number', async () => {
    expect((await newWorld().get('/sandbox/callbacks/one')).status).toBe(400)
  })
})

describe('POST /sandbox/callbacks/{id}/resend', () => {
  it('sends the same bytes with the same id again', async () => {
    const { world } = await paid()
    const { status, body } = await world.post('/sandbox/callbacks/1/resend')
    expect([status, body.callback.state]).toEqual([200, 'pending'])
    expect(body.callback.next_attempt_at).not.toBeNull()
    await world.settle()
    const [first, second] = world.callbacks()
    expect(second!.text).toBe(first!.text)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect((await world.get('/sandbox/callbacks/1')).body.callback).toMatchObject({
      state: 'delivered',
      attempt_count: 2,
    })
  })

  it('returns 404 for an unknown callback', async () => {
    expect((await newWorld().post('/sandbox/callbacks/9/resend')).status).toBe(404)
  })
})

describe('POST /sandbox/callbacks/fire', () => {
  it('sends a new callback in the other shape', async () => {
    const { world, reference } = await paid()
    const { status } = await world.post('/sandbox/callbacks/fire', { reference, shape: 'nested' })
    expect(status).toBe(200)
    await world.settle()
    const [first, second] = world.callbacks()
    expect(second!.body.response).toMatchObject({ ResultCode: 0, ExternalReference: 'order-1' })
    expect(second!.headers['webhook-id']).not.toBe(first!.headers['webhook-id'])
  })

  it('sends one to another address, later, with a fault', async () => {
    const { world, reference } = await paid()
    const url = `${world.callback_url}/elsewhere`
    await world.post('/sandbox/callbacks/fire', { reference, url, fault: 'unsigned', after: '5s' })
    await world.advance(4_999)
    expect(world.callbacks()).toHaveLength(1)
    await world.advance(1)
    expect(world.callbacks()[1]).toMatchObject({ url })
    expect(world.callbacks()[1]!.headers).not.toHaveProperty('webhook-signature')
  })

  /** A payment that succeeds after 2 s and is reversed ten minutes later. */
  async function reversed(answer: (url: string) => number) {
    answerOf.next = ({ url }) => ({ status: answer(url), error: '' })
    const world = newWorld()
    const headers = { prefer: 'scenario=success-then-reversed' }
    const { reference } = (await world.post('/api/v2/payments', collection(world), headers)).body
    await world.advance(3_000)
    return { world, reference: reference as string }
  }

  it('neither blocks results when a fired callback fails, nor is blocked by them', async () => {
    const { world, reference } = await reversed((url) => (url.endsWith('elsewhere') ? 500 : 200))
    const url = `${world.callback_url}/elsewhere`
    const fired = await world.post('/sandbox/callbacks/fire', { reference, url })
    expect(fired.body.callback.blocked_by).toBe(null)
    await world.advance(605_000)
    const results = world.callbacks().filter((each) => each.url === world.callback_url)
    expect(results.map(({ body }) => body['status'])).toEqual(['success', 'reversed'])
  })

  it('reports which result waits for which, and is not affected', async () => {
    const { world, reference } = await reversed((url) => (url.endsWith('elsewhere') ? 200 : 500))
    await world.advance(605_000)
    const { callbacks } = (await world.get('/sandbox/callbacks')).body
    const waits = callbacks.map((each: { id: number; blocked_by: number }) => [each.id, each.blocked_by])
    expect(waits).toEqual([
      [2, 1],
      [1, null],
    ])
    const { events } = (await world.get(`/sandbox/transactions/${reference}/timeline`)).body
    expect(events.map(({ summary }: { summary: string }) => summary)).toContain(
      `callback 2 for ${world.callback_url}, flat; waits for callback 1, which comes first and failed`,
    )
    await world.post('/sandbox/callbacks/fire', { reference, url: `${world.callback_url}/elsewhere` })
    await world.advance(1)
    expect(world.callbacks().at(-1)).toMatchObject({ url: `${world.callback_url}/elsewhere` })
  })

  it('returns 400 without an address', async () => {
    const { world, reference } = await paid({ callback_url: undefined })
    expect(await world.post('/sandbox/callbacks/fire', { reference })).toMatchObject(
      refused(400, 'invalid_argument', `url is required: transaction ${reference} has no callback_url`),
    )
  })

  it('returns 400 for an invalid duration', async () => {
    const { world, reference } = await paid()
    expect(await world.post('/sandbox/callbacks/fire', { reference, after: 'soon' })).toMatchObject(
      refused(400, 'invalid_argument', /^after "soon" is not a duration/),
    )
  })

  it('returns 404 for an unknown transaction', async () => {
    expect((await newWorld().post('/sandbox/callbacks/fire', { reference: 'none' })).status).toBe(404)
  })
})

describe('GET /sandbox/callbacks/wait', () => {
  it('returns existing callbacks at once', async () => {
    const { world } = await paid()
    const { status, body } = await world.get('/sandbox/callbacks/wait?reference=order-1')
    expect([status, body.callbacks.length, body.callbacks[0].callback.state]).toEqual([200, 1, 'delivered'])
  })

  it('returns to all waiting requests as soon as it arrives, also for a new reference', async () => {
    const world = newWorld()
    await world.get('/sandbox/callbacks')
    const waiting = [1, 2].map(() =>
      world.get('/sandbox/callbacks/wait?reference=order-7&count=1&timeout=60s'),
    )
    answerOf.next = () => ({ status: 200, error: '' })
    await pay(world, { external_reference: 'order-7' })
    await world.settle()
    const answers = await Promise.all(waiting)
    expect(answers.map(({ status, body }) => [status, body.callbacks.length])).toEqual([
      [200, 1],
      [200, 1],
    ])
  })

  it('waits for the requested number', async () => {
    const { world, reference } = await paid()
    const waiting = world.get('/sandbox/callbacks/wait?reference=order-1&count=2&timeout=60s')
    await world.post('/sandbox/callbacks/fire', { reference })
    await world.settle()
    expect((await waiting).body.callbacks).toHaveLength(2)
  })

  it('waits for the newest transaction with the reference, and returns how many there are', async () => {
    const { world } = await paid()
    const second = await pay(world)
    const waiting = world.get('/sandbox/callbacks/wait?reference=order-1&timeout=60s')
    await world.settle()
    const { status, body } = await waiting
    const of = body.callbacks.map((each: { callback: { transaction: string } }) => each.callback.transaction)
    expect([status, of, body.transactions]).toEqual([200, [second], 2])
    const again = await world.get('/sandbox/callbacks/wait?reference=order-1')
    expect(again.body.callbacks).toEqual(body.callbacks)
  })

  it('waits for a transaction with the same reference that arrives during the wait', async () => {
    const { world } = await paid()
    const waiting = world.get('/sandbox/callbacks/wait?reference=order-1&count=2&timeout=60s')
    await world.get('/sandbox/callbacks')
    const second = await pay(world)
    await world.settle()
    await world.post('/sandbox/callbacks/fire', { reference: second })
    await world.settle()
    const { callbacks } = (await waiting).body
    expect(callbacks.map((each: { callback: { id: number } }) => each.callback.id)).toEqual([2, 3])
  })

  it('returns null as the number of transactions without a reference', async () => {
    const { world } = await paid()
    expect((await world.get('/sandbox/callbacks/wait')).body.transactions).toBe(null)
  })

  it('504 names the newest transaction when only an older one has a delivered callback', async () => {
    const { world } = await paid()
    const second = await pay(world)
    const { status, body } = await world.get('/sandbox/callbacks/wait?reference=order-1&timeout=1ms')
    expect([status, body.callbacks, body.transactions]).toEqual([504, [], 2])
    expect(body.error_message).toMatch(/^0 of 1 callbacks were delivered within 1ms; /)
    expect(body.error_message).toContain(
      `; 2 transactions have the reference order-1, and only callbacks of the newest, ${second}, count`,
    )
  })

  it('waits for one that fails for good', async () => {
    answerOf.next = () => ({ status: 410, error: '' })
    const world = newWorld()
    await pay(world)
    const waiting = world.get('/sandbox/callbacks/wait?state=failed&timeout=60s')
    await world.settle()
    expect((await waiting).body.callbacks[0].callback.state).toBe('failed')
  })

  it('returns 504 after the timeout, with existing callbacks and pending jobs', async () => {
    answerOf.next = () => ({ status: 500, error: '' })
    const world = newWorld()
    const reference = await pay(world)
    await world.advance(2_000)
    const { status, body } = await world.get('/sandbox/callbacks/wait?reference=order-1&timeout=1ms')
    expect(status).toBe(504)
    expect(body.error_message).toContain(
      `0 of 1 callbacks were delivered within 1ms; scheduled next: callback of ${reference} at 2026-06-13T12:00:03.000Z; the world's clock is frozen with 1 job pending: POST /sandbox/clock/advance or /sandbox/settle; callback 1 of order-1 is pending after 1 attempt, the last one to `,
    )
    expect(body.error_message).toMatch(/: answered 500 \(.*\)$/)
    expect(body.callbacks[0].attempts).toHaveLength(1)
    expect(body.scheduled).toEqual([
      { kind: 'callback', due_at: '2026-06-13T12:00:03.000Z', transaction: reference, callback: 1 },
    ])
  })

  it('504 does not miss the callback that is there when another is awaited', async () => {
    const { world } = await paid()
    const { status, body } = await world.get('/sandbox/callbacks/wait?reference=order-1&count=2&timeout=1ms')
    expect([status, body.cause, body.callbacks.length]).toEqual([504, 'nothing_scheduled', 1])
    expect(body.error_message).toMatch(/^1 of 2 callbacks were delivered within 1ms; nothing is scheduled/)
  })

  it('returns 400 for a timeout that is too long', async () => {
    expect(await newWorld().get('/sandbox/callbacks/wait?timeout=2m')).toMatchObject(
      refused(400, 'invalid_argument', 'timeout "2m" is longer than 1m, the maximum'),
    )
  })
})

describe('a world', () => {
  it('keeps a callback that took long to fail', async () => {
    const { world, reference } = await paid()
    answerOf.next = ({ url }) => ({ status: url.endsWith('/bad') ? 500 : 200, error: '' })
    const url = `${world.callback_url}/bad`
    const { id } = (await world.post('/sandbox/callbacks/fire', { reference, url })).body.callback
    await world.advance(0)
    await world.world().change((tx) => {
      const [callback] = every(tx.rows, 'callbacks')
      // Later ones of other transactions do not wait for it.
      for (let n = 2_000; n < 3_100; n++) {
        tx.rows.insert('callbacks', { ...callback!, id: n, transaction_id: n, state: 'pending' })
        tx.rows.insert('jobs', { id: n, due_at: tx.now, task: { kind: 'callback', callback_id: n } })
      }
    })
    await world.settle()
    expect((await world.get(`/sandbox/callbacks/${id}`)).body.callback).toMatchObject({
      state: 'failed',
      attempt_count: 6,
    })
  })

  it('keeps the last 100 attempts of a callback', async () => {
    const { world } = await paid()
    await world.world().change(({ rows }) => {
      const [attempt] = every(rows, 'attempts')
      for (let id = 2; id <= 100; id++) rows.insert('attempts', { ...attempt!, id })
      rows.put('counters', { name: 'attempt', value: 100 })
    })
    for (const [oldest, newest] of [
      [2, 101],
      [3, 102],
    ]) {
      await world.post('/sandbox/callbacks/1/resend')
      await world.settle()
      const attempts = await world.world().read(({ rows }) => every(rows, 'attempts'))
      expect([attempts.length, attempts[0]!.id, attempts.at(-1)!.id]).toEqual([100, oldest, newest])
    }
  })

  it('keeps its last 1,000 finished callbacks', async () => {
    const { world, reference } = await paid()
    await world.world().change((tx) => {
      const [callback] = every(tx.rows, 'callbacks')
      for (let id = 2; id <= 1_003; id++) {
        tx.rows.insert('callbacks', { ...callback!, id, state: 'pending' })
        tx.rows.insert('jobs', {
          id: 1_000 + id,
          due_at: tx.now,
          task: { kind: 'callback', callback_id: id },
        })
      }
    })
    await world.settle()
    const { callbacks } = (await world.get(`/sandbox/callbacks?transaction=${reference}&limit=1000`)).body
    expect([callbacks.length, callbacks.at(-1).id, callbacks[0].id]).toEqual([1_000, 4, 1_003])
    const attempts = await world.world().read(({ rows }) => every(rows, 'attempts'))
    expect(attempts).toHaveLength(1_000)
  })
})
