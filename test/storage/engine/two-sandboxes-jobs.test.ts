import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { OWNERSHIP } from '../../../src/storage/engine/job-queue.ts'
import { createMemoryEngine } from '../../../src/storage/engine/memory/engine.ts'
import { createCopyingEngine } from '../../support/copying-engine.ts'
import { collection } from '../../support/requests.ts'
import { NOON, startSandbox } from '../../support/sandbox.ts'

const engines: readonly [name: string, create: () => Promise<Engine>][] = [
  ['in memory', createMemoryEngine],
  ['that answers copies', createCopyingEngine],
]

// The test controls timers and time.
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: NOON,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Advances time by seconds, and the turns of the event loop that changes and reads need. */
async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

describe.each(engines)('two sandboxes over one engine %s, whose worlds follow real time', (_, create) => {
  /** Both have called the world once. */
  async function start() {
    const engine = await create()
    const parts = { engine, wall: () => Date.now(), clock: { real_anchor: 0, world_anchor: 0, speed: 1 } }
    const one = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' }, parts)
    const other = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' }, parts)
    const [here, there] = [one.world(), other.world()]
    await here.get('/sandbox/worlds/current')
    await there.get('/sandbox/worlds/current')
    const received = () => [...one.received, ...other.received].map(({ body }) => body['reference'])
    const pay = async (w: typeof here) => (await w.post('/api/v2/payments', collection(w))).body.reference
    return { one, other, here, there, received, pay }
  }

  it('settle each payment and send each callback once', async () => {
    const { here, there, received, pay } = await start()
    const references = []
    for (let n = 0; n < 5; n++) {
      references.push(await pay(here), await pay(there))
      await pass(1)
    }
    await pass(30)
    expect(received().toSorted()).toEqual(references.toSorted())
  })

  it('take over from each other when one closes', async () => {
    const { one, other, here, there, received, pay } = await start()
    await pay(here)
    await pass(3)
    expect(received()).toHaveLength(1)
    const first = one.received.length > 0 ? one : other
    await pay(here)
    await first.sandbox.close()
    await pass(3)
    expect(received()).toHaveLength(2)
    expect(first.received).toHaveLength(1)
    await pay(first === one ? there : here)
    await pass(3)
    expect(received()).toHaveLength(3)
  })

  it('move the clock of a world one after the other, and never back', async () => {
    const { here, there, received, pay } = await start()
    for (const w of [here, there]) await w.post('/sandbox/clock/freeze')
    await pay(here)
    const [before] = [(await here.get('/sandbox/clock')).body.now]
    const moves = [
      here.post('/sandbox/clock/advance', { by: '1h' }),
      there.post('/sandbox/settle'),
      there.post('/sandbox/clock/advance', { to: new Date(Date.parse(before) + 3_600_000).toISOString() }),
    ]
    await pass(1)
    for (const { status } of await Promise.all(moves)) expect(status).toBe(200)
    for (const w of [here, there])
      expect(Date.parse((await w.get('/sandbox/clock')).body.now) - Date.parse(before)).toBe(3_600_000)
    expect(received()).toHaveLength(1)
  })

  it('leave a clock where one moved it while the other was about to store an earlier time', async () => {
    const engine = await create()
    let meanwhile: (() => Promise<void>) | undefined
    const change: Engine['store']['change'] = async (name, work) => {
      if (here.world().clock.now() > NOON) {
        await meanwhile?.()
        meanwhile = undefined
      }
      return engine.store.change(name, work)
    }
    const store = new Proxy(engine.store, {
      get: (of, key) => {
        const value = Reflect.get(of, key, of) as unknown
        return key === 'change' ? change : typeof value === 'function' ? value.bind(of) : value
      },
    })
    const { world } = await startSandbox({}, { engine: { ...engine, store } })
    const here = world()
    await here.get('/sandbox/clock')
    const moved = { real_anchor: NOON, world_anchor: NOON + 5_000, speed: 0 }
    meanwhile = async () => {
      await engine.store.change(here.world().name, (rows) =>
        rows.put('state', { name: 'clock', value: moved }),
      )
    }
    const advanced = here.post('/sandbox/clock/advance', { by: '1s' })
    await pass(1)
    expect((await advanced).status).toBe(200)
    expect(meanwhile).toBeUndefined()
    expect(Date.parse((await here.get('/sandbox/clock')).body.now) - NOON).toBe(5_000)
  })

  it('notice immediately when one speeds up the clock of a world', async () => {
    const { here, there, received, pay } = await start()
    await there.patch('/sandbox/worlds/current', { settle_after: '1h' })
    await pay(here)
    await there.post('/sandbox/clock/speed', { speed: 3_600 })
    await pass(OWNERSHIP / 1_000 + 5)
    expect(received()).toHaveLength(1)
  })
})
