import { describe, expect, it, onTestFinished } from 'vitest'
import { eventStream } from '../support/event-stream.ts'
import { collection } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { sandbox, world: newWorld } = await startSandbox()

/** What somebody who listens is told of what is done, by type; without what the payments of a test do. */
async function told(world: TestWorld, types: readonly string[], work: () => Promise<unknown>) {
  await world.get('/sandbox/clock')
  const events: { type: string; data: unknown }[] = []
  await world.world().events.ready()
  const stop = world.world().eventListeners.add(
    (event) => void events.push({ type: event.type, data: event.data() }),
    () => {},
  )
  onTestFinished(stop)
  await work()
  // What is told beside rows is told by then, also where that goes by way of a log.
  await world.world().read(() => {})
  return events.filter(({ type }) => types.includes(type))
}

describe('events report', () => {
  it('a frozen, moved, faster or resumed clock', async () => {
    const world = newWorld()
    const events = await told(world, ['clock'], async () => {
      await world.post('/sandbox/clock/speed', { speed: 60 })
      await world.post('/sandbox/clock/freeze')
      await world.post('/sandbox/clock/advance', { by: '1h' })
      await world.post('/sandbox/clock/resume')
    })
    expect(events.map(({ data }) => data)).toEqual([
      { speed: 60, frozen: false },
      { speed: 0, frozen: true },
      { speed: 0, frozen: true },
      { speed: 1, frozen: false },
    ])
  })

  it('changed settings', async () => {
    const world = newWorld()
    const events = await told(world, ['settings'], () =>
      world.patch('/sandbox/worlds/current', { settle_after: '5s' }),
    )
    expect(events).toEqual([{ type: 'settings', data: { changed: ['settle_after'] } }])
  })

  it('added, enabled, queued, reset or deleted scenarios', async () => {
    const world = newWorld()
    const file = { title: 'Mine', then: { settle: { status: 'failed', reason: 'cancelled' } } }
    const events = await told(world, ['scenario'], async () => {
      await world.put('/sandbox/scenarios/mine', file)
      await world.patch('/sandbox/scenarios/mine', { on: true })
      await world.post('/sandbox/scenarios/mine/queue', { times: 2 })
      await world.delete('/sandbox/scenarios/mine')
      await world.delete('/sandbox/scenarios')
    })
    const none = { on: [], queue: [], used: {}, own: [] }
    expect(events.map(({ data }) => data)).toEqual([
      { ...none, own: ['mine'] },
      { ...none, own: ['mine'], on: ['mine'] },
      { ...none, own: ['mine'], on: ['mine'], queue: [{ scenario: 'mine', times: 2 }] },
      none,
      none,
    ])
  })

  it('received messages and changed responses of inboxes', async () => {
    const world = newWorld()
    const { address } = (await world.get('/sandbox/inbox/shop')).body
    const events = await told(world, ['inbox'], async () => {
      await world.put('/sandbox/inbox/shop', { responses: [201] })
      await world.post('/api/v2/payments', collection(world, { callback_url: address }))
      await world.settle()
    })
    expect(events[0]!.data).toEqual({ scripts: { shop: { responses: [201], responses_sent: 0 } } })
    expect(events.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ id: 1, inbox: 'shop', response_status: 201 }),
    )
    expect(JSON.stringify(events)).not.toContain('order-1')
  })

  it('taken and restored snapshots', async () => {
    const world = newWorld()
    await world.get('/sandbox/clock')
    const stream = await eventStream(sandbox, world.world().name)
    const { id } = (await world.post('/sandbox/snapshots', { name: 'first' })).body
    await world.post(`/sandbox/snapshots/${id}/restore`)
    const events = await stream.read(3)
    await stream.stop()
    expect(events.map(({ type, data }) => [type, (data as { data?: unknown }).data ?? data])).toMatchObject([
      ['snapshot', { id, name: 'first', what: 'taken' }],
      ['reset', {}],
      ['snapshot', { id, name: 'first', what: 'restored' }],
    ])
  })
})

describe('POST /sandbox/scenarios/check', () => {
  const check = (world: TestWorld, text: string, name = 'mine') =>
    world.post(`/sandbox/scenarios/check?name=${name}`, text, { 'content-type': 'application/yaml' })

  it('reports the place of each issue and changes nothing', async () => {
    const world = newWorld()
    const { status, body } = await check(world, 'title: Mine\nthen:\n  settel:\n    after: 3s\n')
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: false, more: 0, issues: [{ line: 3, column: 3 }] })
    expect(body.issues[0].message).toMatch(/settle/)
    expect((await check(world, 'title: Mine\nthen:\n  settle: { after: 3s }\n')).body).toEqual({
      valid: true,
      issues: [],
      more: 0,
    })
    expect((await world.get('/sandbox/scenarios/mine')).status).toBe(404)
    expect((await check(world, 'title: x', 'Not A Name')).body.valid).toBe(false)
  })

  it('accepts read-only keys, and rejects files that are expensive to parse', async () => {
    const world = newWorld()
    expect((await world.viewer.post('/sandbox/scenarios/check', { title: 'x' })).body.valid).toBe(false)
    expect((await check(world, `title: x\nthen: ${'['.repeat(20_000)}`)).body).toMatchObject({ valid: false })
    expect((await check(world, 'x'.repeat(70_000))).status).toBe(413)
  })
})

describe('DELETE', () => {
  it("deletes a world's own scenario, but no shipped one", async () => {
    const world = newWorld()
    const file = { title: 'Mine', then: { settle: { after: '1s' } } }
    await world.put('/sandbox/scenarios/payer-cancels', file)
    expect((await world.delete('/sandbox/scenarios/payer-cancels')).body).toEqual({ deleted: 1 })
    expect((await world.get('/sandbox/scenarios/payer-cancels')).body.scenario.title).not.toBe('Mine')
    expect(await world.delete('/sandbox/scenarios/payer-cancels')).toMatchObject(
      refused(400, 'invalid_argument', /does not belong to this world/),
    )
    expect((await world.delete('/sandbox/scenarios/__proto__')).status).toBe(404)
    expect((await newWorld().delete('/sandbox/scenarios/mine')).status).toBe(404)
  })

  it('deletes one mail, for the owner only', async () => {
    const world = newWorld()
    for (const email of ['a@x.example', 'b@x.example'])
      await world.post('/api/v2/account_invites', { organization_id: 1, account_id: 63, email })
    expect((await world.viewer.delete('/sandbox/outbox/1')).status).toBe(403)
    expect((await world.delete('/sandbox/outbox/1')).body).toEqual({ deleted: 1 })
    expect((await world.delete('/sandbox/outbox/1')).status).toBe(404)
    expect((await world.get('/sandbox/outbox')).body.mails).toMatchObject([{ id: 2 }])
  })
})

it('the ledger names the parts of an account, and callbacks are found by their address', async () => {
  const world = newWorld()
  await world.post('/api/v2/payments', collection(world, { amount: 10.5 }))
  await world.settle()
  const { balances, postings } = (await world.get('/sandbox/ledger')).body
  expect(balances).toContainEqual(
    expect.objectContaining({ account: 'fees:KES', team: null, wallet: 'fees', minor: 100 }),
  )
  expect(postings[0].lines).toContainEqual(
    expect.objectContaining({ team: 63, wallet: 'wallet', currency: 'KES', amount: 9.5, minor: 950 }),
  )
  expect((await world.get('/sandbox/callbacks?url=receiver.test')).body.callbacks).toHaveLength(1)
  expect((await world.get('/sandbox/callbacks?url=elsewhere')).body.callbacks).toEqual([])
})

it('resends all failed callbacks at once, and no others', async () => {
  const { world: other, answerOf } = await startSandbox({ SANDBOX_RETRY_PROFILE: 'none' })
  const world = other()
  answerOf.next = () => ({ status: 500, error: '' })
  for (let n = 0; n < 3; n++) await world.post('/api/v2/payments', collection(world, { amount: 10 + n }))
  await world.settle()
  answerOf.next = () => ({ status: 200, error: '' })
  expect((await world.post('/sandbox/callbacks/resend', { url: 'elsewhere' })).body.resent).toBe(0)
  const { body } = await world.post('/sandbox/callbacks/resend', {})
  expect(body).toEqual({ resent: 3, callbacks: [1, 2, 3], more: false })
  await world.settle()
  expect((await world.get('/sandbox/callbacks?state=delivered')).body.callbacks).toHaveLength(3)
  expect((await world.post('/sandbox/callbacks/resend')).body.resent).toBe(0)
  expect((await world.viewer.post('/sandbox/callbacks/resend', {})).status).toBe(403)
})
