import { afterEach, describe, expect, it, vi } from 'vitest'
import { collection } from '../support/requests.ts'
import { isRemote, skippedFor } from '../support/engine.ts'
import { call, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const pay = (w: TestWorld, reference: string, changes: object = {}) =>
  w.post('/api/v2/payments', collection(w, { external_reference: reference, ...changes }))

afterEach(() => vi.restoreAllMocks())

const PARSED = 'what comes from a database is parsed there too'

/** How often the body of a payment with these words in it was parsed since. */
function parses(words: string): () => number {
  const spy = vi.spyOn(JSON, 'parse')
  const bodies = () => spy.mock.calls.map(([text]) => text).filter((text) => text.includes('"callback_url"'))
  return () => bodies().filter((text) => text.includes(words)).length
}

/** Makes each look at the time a millisecond later than the one before, so that slices end at the same place in every run. */
function hurry(): void {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => ++now)
}

describe('a search of the request log', () => {
  it.skipIf(isRemote)(
    `parses each body once, however many conditions there are${skippedFor(PARSED)}`,
    async () => {
      const w = world()
      await pay(w, 'read-once')
      const conditions = Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`body.metadata.f${n}`, { exists: false }]),
      )
      const read = parses('read-once')
      expect((await w.post('/sandbox/requests/count', conditions)).body.count).toBe(1)
      expect(read()).toBe(1)
    },
  )

  it('returns 400 for more than 50 conditions', async () => {
    const conditions = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`body.f${n}`, 1]))
    expect(await world().post('/sandbox/requests/find', conditions)).toMatchObject(
      refused(400, 'invalid_argument', 'conditions must be at most 50, got 51; leave some out'),
    )
  })

  it.each([
    'GET /sandbox/requests',
    'GET /sandbox/requests/har',
    'GET /sandbox/requests/wait?path=/no&timeout=0',
  ])('%s does not block responses of other worlds', async (asked) => {
    const [w, other] = [world(), world()]
    await other.get('/api/v2/account/63')
    for (let n = 0; n < 30; n++) await w.get('/api/v2/account/63')
    hurry()
    const order: string[] = []
    const [method, path] = asked.split(' ') as [string, string]
    await Promise.all([
      w.get(path).then(() => order.push(method)),
      other.get('/api/v2/account/63').then(() => order.push('other')),
    ])
    expect(order).toEqual(['other', method])
  })

  it('of all worlds does not block responses', async () => {
    const w = world()
    for (let n = 0; n < 30; n++) await w.get('/api/v2/account/63')
    hurry()
    const order: string[] = []
    await Promise.all([
      call(sandbox, 'POST', '/__admin/requests/count', { path: '/no' }).then(() => order.push('admin')),
      w.get('/api/v2/account/63').then(() => order.push('own')),
    ])
    expect(order).toEqual(['own', 'admin'])
  })
})

describe('a wait for requests', () => {
  it.skipIf(isRemote)(
    `checks each once: logged ones at the start, others when they receive their response${skippedFor(PARSED)}`,
    async () => {
      const w = world()
      for (const n of [1, 2, 3]) await pay(w, `before-${n}.`)
      const read = parses('before-')
      const waiting = w.get('/sandbox/requests/wait?reference=after-5.&timeout=20s')
      for (const n of [1, 2, 3, 4, 5]) await pay(w, `after-${n}.`)
      expect((await waiting).body.requests).toMatchObject([{ id: 'req_8' }])
      expect(read()).toBe(3)
    },
  )

  // Over a slow engine some begin to wait only once it is there, and read it again.
  it.skipIf(process.env['TEST_ENGINE'] !== undefined)(
    'parses a request once for all waiting callers',
    async () => {
      const w = world()
      await pay(w, 'first')
      const waiting = [1, 2, 3].map(() => w.get('/sandbox/requests/wait?reference=shared&timeout=20s'))
      while (w.world().budget.atOnce('waiters') < 3)
        await new Promise((resolve) => void setImmediate(resolve))
      const read = parses('"shared"')
      await pay(w, 'shared')
      // Once to be done, once for all who wait; for each, with its secrets and without, and by this test.
      for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
      expect(read()).toBe(2 + 3 * 3)
    },
  )

  it('ignores requests deleted in the meantime', async () => {
    const w = world()
    const waiting = w.get('/sandbox/requests/wait?operation=createCollection&count=2&timeout=20s')
    await pay(w, 'order-1')
    await w.delete('/sandbox/requests')
    await pay(w, 'order-2')
    await pay(w, 'order-3')
    const { body } = await waiting
    expect(body.requests.map(({ id }: { id: string }) => id)).toEqual(['req_2', 'req_3'])
  })
})

describe('a wait for callbacks', () => {
  it('ends with the last of several, ignoring other transactions', async () => {
    const w = world()
    await pay(w, 'mine')
    await pay(w, 'other')
    const waiting = w.get('/sandbox/callbacks/wait?reference=mine&count=2&timeout=20s')
    await w.settle()
    await w.post('/sandbox/callbacks/fire', { reference: 'other' })
    await w.post('/sandbox/callbacks/fire', { reference: 'mine' })
    await w.settle()
    const { body } = await waiting
    expect(body.callbacks.map((each: { callback: object }) => each.callback)).toMatchObject([
      { external_reference: 'mine' },
      { external_reference: 'mine' },
    ])
  })

  it('counts a resent callback only after it arrives', async () => {
    const w = world()
    await pay(w, 'mine')
    await w.settle()
    const waiting = w.get('/sandbox/callbacks/wait?count=2&timeout=20s')
    await w.post('/sandbox/callbacks/1/resend')
    await pay(w, 'second')
    await w.settle()
    expect((await waiting).body.callbacks).toHaveLength(2)
  })
})
