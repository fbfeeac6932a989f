import { describe, expect, it } from 'vitest'
import type { Parts } from '../../../src/sandbox/sandbox.ts'
import { balance } from '../../support/ledger.ts'
import { closeLater } from '../../support/close-later.ts'
import { collection } from '../../support/requests.ts'
import { client, NOON, startSandbox, type TestWorld } from '../../support/sandbox.ts'
import { shared } from './engines.ts'

const HOUR = 3_600_000
describe.each(shared)('two sandboxes over one engine %s', (_, create) => {
  /** A shared world; each sandbox has called it once if `met`. */
  async function start({ met = true, parts = {} }: { met?: boolean; parts?: Partial<Parts> } = {}) {
    const [engine, another] = await create()
    const one = await startSandbox({}, { ...parts, engine })
    const other = await startSandbox({}, { ...parts, engine: another })
    for (const { sandbox } of [one, other]) closeLater(() => sandbox.close())
    const here = one.world()
    const there = other.world()
    if (met) {
      await here.get('/sandbox/worlds/current')
      await there.get('/sandbox/worlds/current')
    }
    const received = () => [...one.received, ...other.received]
    return { engine, one, other, here, there, received }
  }
  const pay = async (w: TestWorld, reference: string) => {
    const answer = await w.post('/api/v2/payments', collection(w, { reference }))
    expect(answer.status).toBe(201)
    return answer.body.reference as string
  }
  const statusOf = async (w: TestWorld, reference: string) =>
    (await w.post('/api/global/transaction-status', { request_id: reference })).body.status

  it('a first visit finds the world that the other sandbox created', async () => {
    const { here, there } = await start({ met: false })
    const reference = await pay(here, 'order-1')
    expect(await statusOf(there, reference)).toBe('queued')
    await pay(there, 'order-2')
    await there.settle()
    expect(await balance(here, 'team:63:wallet:KES')).toBe(101_970)
  })

  it('concurrent first visits create one world', async () => {
    const { here, there } = await start({ met: false })
    const [first, second] = await Promise.all([pay(here, 'order-1'), pay(there, 'order-2')])
    expect(first).not.toBe(second)
    for (const w of [here, there])
      for (const reference of [first, second]) expect(await statusOf(w, reference)).toBe('queued')
  })

  it('a payment settles once and is called back once, whichever moves the clock', async () => {
    const { here, there, received } = await start()
    const references = [await pay(here, 'order-1'), await pay(there, 'order-2')]
    await Promise.all([here.settle(), there.settle()])
    await there.settle()
    for (const reference of references) expect(await statusOf(here, reference)).toBe('success')
    expect(received().map(({ body }) => body['reference'])).toEqual(expect.arrayContaining(references))
    expect(received()).toHaveLength(2)
  })

  it('the clock is shared', async () => {
    const { here, there } = await start()
    const clock = async (w: TestWorld) => (await w.get('/sandbox/clock')).body
    await here.post('/sandbox/clock/speed', { speed: 60 })
    expect(await clock(there)).toMatchObject({ frozen: false, speed: 60 })
    await there.post('/sandbox/clock/freeze')
    expect(await clock(here)).toMatchObject({ frozen: true, speed: 0 })
    const { now } = await clock(here)
    await here.post('/sandbox/clock/advance', { by: '1h' })
    expect(Date.parse((await clock(there)).now)).toBe(Date.parse(now) + HOUR)
    expect(there.world().clock.now()).toBe(here.world().clock.now())
  })

  it('settings changed in one apply in the other', async () => {
    const { here, there } = await start()
    await here.patch('/sandbox/worlds/current', { settle_after: '7s', callback_shape: 'nested' })
    expect((await there.get('/sandbox/worlds/current')).body.settings).toMatchObject({
      settle_after: '7s',
      callback_shape: 'nested',
    })
    await pay(there, 'order-1')
    const { next } = (await there.get('/sandbox/clock')).body
    expect(Date.parse(next.due_at)).toBe(there.world().clock.now() + 7_000)
  })

  it('keys created or revoked in one are accepted or rejected in the other', async () => {
    const { one, other, here } = await start()
    const { username, password } = (await here.post('/sandbox/api-keys')).body
    const [by, elsewhere] = [one, other].map(({ sandbox }) => client(sandbox, username, password))
    expect((await elsewhere!.get('/sandbox/worlds/current')).status).toBe(200)
    expect((await by!.get('/sandbox/worlds/current')).status).toBe(200)
    expect((await here.delete(`/sandbox/api-keys/${username}`)).status).toBe(200)
    expect((await elsewhere!.get('/sandbox/worlds/current')).status).toBe(401)
  })

  it('a request to one is shown, awaited, explained and counted by the other', async () => {
    const { here, there } = await start()
    const waiting = there.get('/sandbox/requests/wait?operation=createCollection&count=2&timeout=30s')
    const references = [await pay(here, 'order-1'), await pay(there, 'order-2')]
    const { body: seen } = await waiting
    expect(seen.requests.map((each: { id: string }) => each.id)).toEqual(['req_1', 'req_2'])
    const listed = (await there.get('/sandbox/requests')).body
    expect((await here.get('/sandbox/requests')).body).toEqual(listed)
    expect(listed).toMatchObject({ total: 2, requests: [{ id: 'req_2' }, { id: 'req_1', status: 201 }] })
    expect((await there.get('/sandbox/requests/req_1')).body.response.reference).toBe(references[0])
    const explained = (await there.get('/sandbox/requests/req_1/explain')).body
    expect(explained).toMatchObject({ decided_by: 'default', status: 201 })
    expect((await here.get('/sandbox/requests/req_1/explain')).body).toEqual(explained)
    const { events } = (await there.get(`/sandbox/transactions/${references[0]}/timeline`)).body
    expect(events[0]).toMatchObject({ kind: 'request', request: 'req_1' })
    expect((await there.get('/sandbox/worlds/current')).body.requests).toBe(2)
    expect((await there.delete('/sandbox/requests')).body.deleted).toBe(2)
    expect((await here.get('/sandbox/requests')).body.total).toBe(0)
  })

  it('a reset in one resets the world in the other', async () => {
    const { here, there } = await start()
    const reference = await pay(here, 'order-1')
    await there.patch('/sandbox/worlds/current', { settle_after: '7s' })
    const before = there.world()
    expect((await here.post('/sandbox/reset')).status).toBe(200)
    expect((await there.get('/sandbox/worlds/current')).body.settings.settle_after).toBe('2s')
    expect(before.closed).toBe(true)
    expect((await there.get('/sandbox/requests')).body.total).toBe(0)
    const gone = await there.post('/api/global/transaction-status', { request_id: reference })
    expect(gone.status).toBe(404)
    await pay(there, 'order-2')
    expect(await pay(here, 'order-3')).toBeTruthy()
  })

  it('a snapshot taken in one can be restored in the other', async () => {
    const { here, there } = await start()
    await pay(here, 'order-1')
    const { id } = (await here.post('/sandbox/snapshots', { name: 'one payment' })).body
    await pay(there, 'order-2')
    expect((await there.get('/sandbox/snapshots')).body.snapshots).toMatchObject([{ id }])
    expect((await there.post(`/sandbox/snapshots/${id}/restore`)).status).toBe(200)
    expect((await here.get('/sandbox/worlds/current')).body.transactions).toBe(1)
  })

  it('a world dropped in one is gone in the other, and is created anew', async () => {
    const { one, other, here, there } = await start()
    await pay(here, 'order-1')
    const { name } = there.world()
    await one.sandbox.worlds.drop(name)
    await expect.poll(() => other.sandbox.worlds.get(name)).toBeUndefined()
    expect((await there.get('/sandbox/worlds/current')).body.transactions).toBe(0)
    expect((await here.get('/sandbox/worlds/current')).body.transactions).toBe(0)
  })

  it('a world with its own keys is known to the other', async () => {
    const { one, other, here } = await start()
    const { world, credentials } = (await here.post('/sandbox/worlds', {})).body
    for (const { sandbox } of [other, one]) {
      const own = client(sandbox, credentials.username, credentials.password)
      expect((await own.get('/sandbox/worlds/current')).body.id).toBe(world.id)
    }
  })

  it('a world that the other is called in is not idle', async () => {
    const time = { now: NOON }
    const { one, here, there, engine } = await start({ parts: { wall: () => time.now } })
    const { name } = here.world()
    time.now += HOUR
    await there.get('/sandbox/clock')
    await expect.poll(() => engine.worlds.lastUsed(name)).toBe(time.now)
    expect(await one.sandbox.worlds.dropIdle(HOUR)).toEqual([])
    time.now += HOUR
    expect(await one.sandbox.worlds.dropIdle(HOUR)).toEqual([name])
    expect((await there.get('/sandbox/clock')).status).toBe(200)
  })

  it('closing one does not close the engine', async () => {
    const { one, there } = await start()
    await one.sandbox.close()
    const reference = await pay(there, 'order-1')
    await there.settle()
    expect(await statusOf(there, reference)).toBe('success')
  })
})
