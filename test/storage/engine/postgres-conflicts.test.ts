import { describe, expect, it } from 'vitest'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { closeLater } from '../../support/close-later.ts'
import { balance } from '../../support/ledger.ts'
import { emptyDatabase, NO_DATABASE, runSql, testDatabase } from '../../support/postgres.ts'
import { collection } from '../../support/requests.ts'
import { startSandbox, type TestWorld } from '../../support/sandbox.ts'

const parts = { wall: () => Date.now(), clock: { real_anchor: 0, world_anchor: 0, speed: 1 } }

/** A process appends to a world that it still counts as its own, while the database has another owner. */
describe.skipIf(!testDatabase)(`a world lost to another process ${testDatabase ? '' : NO_DATABASE}`, () => {
  async function start() {
    const url = await emptyDatabase()
    const open = async () => {
      const engine = await openPostgresEngine({ url, time: 'given' })
      closeLater(() => engine.close())
      const started = await startSandbox({}, { ...parts, engine })
      closeLater(() => started.sandbox.close())
      return { engine, ...started }
    }
    const [one, other] = [await open(), await open()]
    await one.engine.owners!.join('http://127.0.0.1:9')
    /** A world that the other process has taken and changed, which the first one does not notice. */
    const lost = async () => {
      const [here, there] = [one.world(), other.world()]
      const isOwn = () => one.engine.owners!.isOwn(here.world().name)
      await here.post('/sandbox/clock/freeze')
      expect(await pay(here, 'before')).toBe(201)
      expect(isOwn()).toBe(true)
      // The event of the request is stored after its response.
      await here.world().events.ready()
      await runSql('update worlds set owner = null', url)
      expect(await pay(there, 'meanwhile')).toBe(201)
      expect(isOwn()).toBe(true)
      return { here, there }
    }
    return { one, url, lost, received: () => [...one.received, ...other.received] }
  }
  const pay = async (w: TestWorld, external_reference: string) =>
    (await w.post('/api/v2/payments', collection(w, { external_reference }))).status

  it('a payment is made once, after the payment of the other process', async () => {
    const { lost, received } = await start()
    const { here, there } = await lost()
    expect(await pay(here, 'order-1')).toBe(201)
    await here.settle()
    const { transactions } = (await there.get('/sandbox/transactions')).body
    const references = transactions.map((each: { external_reference: string }) => each.external_reference)
    expect(references).toEqual(['order-1', 'meanwhile', 'before'])
    expect(received()).toHaveLength(3)
    expect(await balance(there, 'team:63:wallet:KES')).toBe(102_955)
    const { requests } = (await there.get('/sandbox/requests?operation=createCollection')).body
    expect(requests.map((each: { status: number }) => each.status)).toEqual([201, 201, 201])
  })
  it('a scenario counts its step once', async () => {
    const { here, there } = await (await start()).lost()
    const failing = collection(here, { external_reference: 'order-1', phone_number: '0700000064' })
    expect((await here.post('/api/v2/payments', failing)).status).toBe(503)
    const { body } = await there.get('/sandbox/scenarios/provider-fails-once/state')
    expect(body).toMatchObject({ used: 1, step: 2 })
    expect((await there.post('/api/v2/payments', failing)).status).toBe(201)
  })

  it('control API requests make their changes', async () => {
    const { lost } = await start()
    const change = async (
      work: (here: TestWorld, there: TestWorld) => Promise<{ readonly status: number }>,
    ) => {
      const { here, there } = await lost()
      expect((await work(here, there)).status).toBe(200)
      for (const w of [here, there])
        expect((await w.get('/sandbox/transactions')).body.transactions).toHaveLength(2)
      return [here, there]
    }
    for (const w of await change((here) => here.patch('/sandbox/worlds/current', { name: 'mine' })))
      expect((await w.get('/sandbox/worlds/current')).body.name).toBe('mine')
    for (const w of await change((here) => here.post('/sandbox/clock/resume')))
      expect((await w.get('/sandbox/clock')).body.frozen).toBe(false)
    for (const w of await change((here) => here.put('/sandbox/lease', { holder: 'suite' })))
      expect((await w.get('/sandbox/lease')).body.lease).toMatchObject({ holder: 'suite' })
    for (const w of await change((here) =>
      here.put('/sandbox/scenarios/mine', {
        title: 'T',
        when: { operation: 'createCollection' },
        then: { settle: { after: '2s' } },
      }),
    ))
      expect((await w.get('/sandbox/scenarios/mine')).status).toBe(200)
  })

  it('a request for a world of another owner gets 503 with Retry-After at its deadline', async () => {
    const { one, lost, url } = await start()
    const { here } = await lost()
    await runSql(
      `insert into runners(id, machine, token, until)
       values ('c9c0f0a6-5a8e-4e0f-9f0c-1c1f0b1f0b1f', 'm', 't', now() + interval '1 hour');
       update worlds set owner = 'c9c0f0a6-5a8e-4e0f-9f0c-1c1f0b1f0b1f'`,
      url,
    )
    const { owners } = one.engine
    /** Runs work whose deadline has passed. */
    const late = <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve) => owners!.within(0, () => resolve(work())))
    const refusals = await Promise.all([
      late(() => here.post('/api/v2/payments', collection(here, { external_reference: 'order-1' }))),
      late(() => here.post('/sandbox/reset')),
    ])
    for (const { status, body, headers } of refusals) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(body.error_message).toBe(
        `Another process answers for the world ${here.world().name}, and did not leave it in time; send it again.`,
      )
    }
    const id = 'c9c0f0a6-5a8e-4e0f-9f0c-1c1f0b1f0b1e'
    await expect(late(() => owners!.hadEffect(here.world().name, id))).rejects.toThrow(
      'did not leave it in time',
    )
    await runSql('delete from runners where machine = $$m$$', url)
    expect(await pay(here, 'order-1')).toBe(201)
  })
})
