import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { eventStream } from '../../support/event-stream.ts'
import { closeLater } from '../../support/close-later.ts'
import { collection } from '../../support/requests.ts'
import { startSandbox, type TestWorld } from '../../support/sandbox.ts'
import { shared } from './engines.ts'

describe.each(shared)('events of two sandboxes over one engine %s', (_, create) => {
  /** A world that both have called once, with a logged request in each. */
  async function start() {
    const [engine, another] = await create()
    const one = await startSandbox({}, { engine })
    const other = await startSandbox({}, { engine: another })
    for (const { sandbox } of [one, other]) closeLater(() => sandbox.close())
    const [here, there] = [one.world(), other.world()]
    await here.get('/api/v2/account/63')
    await there.get('/api/v2/account/63')
    await expect.poll(async () => (await remembered(one.sandbox, here)).length).toBe(2)
    return { one: one.sandbox, other: other.sandbox, here, there }
  }
  const pay = async (w: TestWorld) =>
    expect((await w.post('/api/v2/payments', collection(w))).status).toBe(201)
  /** A payment in each, both settled, a reset in the first, and a request after it. */
  async function work(one: Sandbox, here: TestWorld, there: TestWorld) {
    await pay(here)
    await pay(there)
    await there.settle()
    await here.post('/sandbox/reset')
    await there.get('/api/v2/account/63')
    const types = async () => (await remembered(one, here)).map(({ type }) => type)
    await expect.poll(async () => (await types()).slice(-2)).toEqual(['reset', 'request'])
  }
  /** All events that a sandbox remembers of a world. */
  const remembered = async (from: Sandbox, { world }: TestWorld) => {
    const { events } = from.worlds.get(world().name)!
    await events.ready()
    const { read, stop } = await eventStream(from, world().name, { 'last-event-id': '0' })
    const all = await read(events.count)
    await stop()
    return all
  }

  it('are the same with the same ids, once, in one order', async () => {
    const { one, other, here, there } = await start()
    const live = await eventStream(other, there.world().name, { 'last-event-id': '0' })
    await work(one, here, there)
    const told = await remembered(one, here)
    expect(await remembered(other, there)).toEqual(told)
    expect(await live.read(told.length)).toEqual(told)
    await live.stop()
    const types = (type: string) => told.filter((event) => event.type === type)
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length)
    expect(types('transaction').map(({ data }) => data['status'])).toEqual([
      'QUEUED',
      'QUEUED',
      'SUCCESS',
      'SUCCESS',
    ])
    expect(types('reset')).toHaveLength(1)
    const places = told.map(({ id }) => id.split('-')[1]!.split('.').map(Number) as [number, number])
    expect(places.toSorted(([a, b], [c, d]) => a - c || b - d)).toEqual(places)
  })

  it('are complete and without repetition for a client that alternates between both', async () => {
    const { one, other, here, there } = await start()
    await work(one, here, there)
    const told = await remembered(one, here)
    const heard = []
    for (const [n, { id }] of told.entries()) {
      const { read, stop } = await eventStream(n % 2 ? one : other, here.world().name, {
        'last-event-id': heard.at(-1)?.id ?? '0',
      })
      const [next] = await read(1)
      await stop()
      expect(next!.id).toBe(id)
      heard.push(next!)
    }
    expect(heard).toEqual(told)
  })

  it('continue with the same life when one sandbox is closed, which ends only its streams', async () => {
    const { one, other, here, there } = await start()
    const [ends, stays] = [
      await eventStream(one, here.world().name),
      await eventStream(other, here.world().name),
    ]
    await pay(here)
    const before = await stays.read(2)
    await one.close()
    expect(await ends.read(99)).toEqual(before)
    await pay(there)
    const after = await stays.read(4)
    await stays.stop()
    expect(after.slice(0, 2)).toEqual(before)
    expect(after.map(({ type }) => type)).toEqual(['transaction', 'request', 'transaction', 'request'])
    expect(new Set(after.map(({ id }) => id.split('-')[0])).size).toBe(1)
  })

  it('end for the listeners of both when one drops the world', async () => {
    const { one, other, here, there } = await start()
    const { name } = here.world()
    const streams = [await eventStream(one, name), await eventStream(other, name)]
    await one.worlds.drop(name)
    for (const { read } of streams) expect(await read(1)).toEqual([])
    await there.get('/api/v2/account/63')
    expect(await remembered(other, there)).toMatchObject([{ type: 'request' }])
  })
})
