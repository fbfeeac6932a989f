import { beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log/log.ts'
import { collection } from '../support/requests.ts'
import { NOON, startSandbox } from '../support/sandbox.ts'

const lines: { readonly event: string; readonly of: string; readonly message: string }[] = []
const log = createLog({
  level: 'error',
  write: (line) => lines.push(JSON.parse(line)),
  terminal: false,
  now: () => NOON,
})
const { world: newWorld, sandbox } = await startSandbox({}, { log })
beforeEach(() => void lines.splice(0))

const fail = () => {
  throw new Error('not today')
}
const logged = () => lines.map(({ event, of, message }) => [event, of, message])

async function faulty() {
  const world = newWorld()
  await world.get('/sandbox/clock')
  await world.world().events.ready()
  return { world, inner: world.world() }
}

describe('an error of a listener is logged and affects neither the change, its caller nor other listeners:', () => {
  it('of commits', async () => {
    const { world, inner } = await faulty()
    let told = 0
    const stops = [inner.onCommit(fail), inner.onCommit(() => void told++)]
    expect((await world.post('/api/v2/payments', collection(world))).status).toBe(201)
    for (const stop of stops) stop()
    await world.settle()
    expect(told).toBe(1)
    expect(logged()).toEqual([['listener failed', 'commit', 'Error: not today']])
    expect(world.callbacks()).toHaveLength(1)
  })

  it('of events', async () => {
    const { world, inner } = await faulty()
    const types: string[] = []
    const stops = [
      inner.eventListeners.add(fail, fail),
      inner.eventListeners.add(({ type }) => void types.push(type), fail),
    ]
    expect((await world.post('/api/v2/payments', collection(world))).status).toBe(201)
    for (const stop of stops) stop()
    expect(types).toContain('transaction')
    expect(logged()).toEqual(types.map(() => ['listener failed', 'event', 'Error: not today']))
  })

  it('of requests and their responses', async () => {
    const { world, inner } = await faulty()
    let told = 0
    inner.responses.listen(fail)
    inner.responses.listen(() => void told++)
    expect((await world.get('/api/v2/account/63')).status).toBe(200)
    expect(told).toBe(1)
    expect(logged()).toEqual([['listener failed', 'response', 'Error: not today']])
  })

  it('of resets', async () => {
    const { world } = await faulty()
    let told = 0
    sandbox.worlds.onReplaced(async () => fail())
    sandbox.worlds.onReplaced(() => void told++)
    expect((await world.post('/sandbox/reset')).status).toBe(200)
    expect(told).toBe(1)
    expect(logged()).toEqual([['listener failed', 'replaced world', 'Error: not today']])
  })

  it('of the end of a wait', async () => {
    const { inner } = await faulty()
    let told = 0
    inner.onEnd(fail)
    inner.onEnd(() => void told++)
    inner.endWaiting('closing time')
    expect(told).toBe(1)
    expect(logged()).toEqual([['listener failed', 'end of waiting', 'Error: not today']])
  })

  it('an event that cannot be serialised is skipped in the stream', async () => {
    const { inner } = await faulty()
    inner.events.publish('odd', NOON, undefined, fail)
    inner.events.publish('even', NOON, undefined, () => 'fine')
    const authorization = `Basic ${Buffer.from(`${inner.name}:demo`).toString('base64')}`
    const request = new Request('http://sandbox.test/sandbox/events?after=0', { headers: { authorization } })
    const reader = (await sandbox.fetch(request)).body!.getReader()
    let seen = ''
    const readTo = async (text: string) => {
      while (!seen.includes(text)) seen += Buffer.from((await reader.read()).value!).toString('utf8')
    }
    await readTo('fine')
    inner.events.publish('odd', NOON, undefined, fail)
    inner.events.publish('even', NOON, undefined, () => 'again')
    await readTo('again')
    await reader.cancel()
    expect(seen).not.toContain('odd')
    expect(logged()).toEqual([
      ['listener failed', 'event', 'Error: not today'],
      ['listener failed', 'event', 'Error: not today'],
    ])
  })
})
