import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world: newWorld, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const shop = 'http://shop.example/callback'

const pay = (world: TestWorld, reference: string, changes: object = {}) =>
  world.post(
    '/api/v2/payments',
    collection(world, { external_reference: reference, callback_url: shop, ...changes }),
  )

/** Answers callbacks with an error of the receiver. */
const failWith = (status: number, body: string) => {
  answerOf.next = () => ({ status, error: '', body })
}

const overview = async (world: TestWorld) => (await world.get('/sandbox/overview')).body

describe('GET /sandbox/overview', () => {
  it('is empty in a new world', async () => {
    expect(await overview(newWorld())).toMatchObject({
      prompts: { total: 0, prompts: [] },
      kyc: { total: 0 },
      abandoned_jobs: 0,
      failing_callbacks: { total: 0, groups: [] },
      rejected_requests: { total: 0, groups: [] },
      payments: [],
    })
  })

  it('groups failing callbacks by URL, status and the words of the receiver', async () => {
    const world = newWorld()
    failWith(500, '{"error":{"message":"Cannot read properties of undefined (reading \'status\')"}}')
    await pay(world, 'order-1')
    await pay(world, 'order-2')
    await world.advance(3_000)
    failWith(404, '<html><body><pre>Cannot POST /callback<br></pre></body></html>')
    await pay(world, 'order-3')
    await world.advance(3_000)
    const { failing_callbacks } = await overview(world)
    expect(failing_callbacks.total).toBe(3)
    const [newest, oldest] = failing_callbacks.groups
    expect(newest).toMatchObject({ url: shop, status: 404, cause: 'Cannot POST /callback', count: 1 })
    expect(oldest).toMatchObject({
      status: 500,
      cause: "Cannot read properties of undefined (reading 'status')",
      count: 2,
      pending: 2,
    })
    expect(Date.parse(oldest.since)).toBeLessThanOrEqual(Date.parse(oldest.last_at))
  })

  it('gives causes that differ only in identifiers and numbers one group', async () => {
    const world = newWorld()
    for (const reference of ['order-1', 'order-2']) {
      failWith(500, `Error: ${reference} has no row after 12${reference.length} ms`)
      await pay(world, reference)
      await world.advance(2_000)
    }
    const { groups } = (await overview(world)).failing_callbacks
    expect(groups).toHaveLength(1)
    expect(groups[0]).toMatchObject({ count: 2, cause: 'Error: order-2 has no row after 127 ms' })
  })

  it('describes a callback without a response by its connection error', async () => {
    const world = newWorld()
    answerOf.next = () => ({ status: null, error: 'connection refused' })
    await pay(world, 'order-1')
    await world.advance(3_000)
    expect((await overview(world)).failing_callbacks.groups[0]).toMatchObject({
      status: null,
      cause: 'connection refused',
    })
  })

  it('lists and resends the callbacks of a group only', async () => {
    const world = newWorld()
    failWith(410, 'gone for good')
    await pay(world, 'order-1')
    await world.advance(2_000)
    failWith(500, 'broken')
    await pay(world, 'order-2')
    await world.advance(2_000)
    const { groups } = (await overview(world)).failing_callbacks
    const gone = groups.find(({ status }: { status: number }) => status === 410)
    const { callbacks } = (await world.get(`/sandbox/callbacks?group=${gone.id}`)).body
    expect(callbacks.map((each: { external_reference: string }) => each.external_reference)).toEqual([
      'order-1',
    ])
    answerOf.next = () => ({ status: 200, error: '' })
    const resent = await world.post('/sandbox/callbacks/resend', { group: gone.id })
    expect(resent.body).toMatchObject({ resent: 1, callbacks: [callbacks[0].id] })
    await world.advance(0)
    const after = (await overview(world)).failing_callbacks
    expect(after.groups.map(({ status }: { status: number }) => status)).toEqual([500])
  })

  it('groups rejected requests of the last hour, and lists the requests of a group', async () => {
    const world = newWorld()
    await pay(world, 'order-1', { amount: 'ten' })
    await pay(world, 'order-2', { amount: 'ten' })
    await world.get('/api/v2/nowhere')
    const { rejected_requests, minutes } = await overview(world)
    expect(rejected_requests.total).toBe(3)
    expect(minutes.at(-1)).toMatchObject({ rejected_requests: 3 })
    const amounts = rejected_requests.groups.find(({ count }: { count: number }) => count === 2)
    expect(amounts).toMatchObject({ operation: 'createCollection', method: 'POST', status: 400 })
    expect(amounts.cause).toContain('amount')
    const { requests } = (await world.get(`/sandbox/requests?group=${amounts.id}`)).body
    expect(requests.map(({ id }: { id: string }) => id)).toContain(amounts.newest)
    expect(requests).toHaveLength(2)
    await world.advance(3_700_000)
    expect((await overview(world)).rejected_requests.total).toBe(0)
  })

  it('shows the newest payments with the statuses of their attempts, and counts those of the last minutes', async () => {
    const world = newWorld()
    answerOf.next = () => ({ status: 200, error: '' })
    for (const reference of ['old-1', 'old-2', 'old-3']) await pay(world, reference)
    await world.advance(3_600_000)
    failWith(500, 'broken')
    await pay(world, 'order-1')
    await world.advance(2_000)
    answerOf.next = () => ({ status: 200, error: '' })
    await world.advance(600_000)
    await pay(world, 'order-2')
    const { payments, minutes } = await overview(world)
    expect(
      payments.map(
        (each: { transaction: { external_reference: string } }) => each.transaction.external_reference,
      ),
    ).toEqual(['order-2', 'order-1', 'old-3', 'old-2', 'old-1'])
    const [callback] = payments[1].callbacks
    expect(callback.state).toBe('delivered')
    expect(callback.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 200])
    expect(minutes).toHaveLength(15)
    const sum = (name: string) =>
      minutes.reduce((total: number, minute: Record<string, number>) => total + minute[name]!, 0)
    expect([sum('succeeded'), sum('queued')]).toEqual([1, 1])
    expect((await world.get('/sandbox/overview?limit=1')).body.payments).toHaveLength(1)
  })

  it('shows prompts that wait, oldest first', async () => {
    const world = newWorld()
    await world.patch('/sandbox/worlds/current', { payer: 'manual' })
    await pay(world, 'order-1')
    await pay(world, 'order-2')
    const { prompts } = await overview(world)
    expect(prompts.total).toBe(2)
    expect(prompts.prompts[0]).toMatchObject({ external_reference: 'order-1', state: 'waiting' })
  })
})
