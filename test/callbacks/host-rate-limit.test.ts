import { describe, expect, it } from 'vitest'
import { createHostRateLimit } from '../../src/callbacks/limits.ts'
import { collection } from '../support/requests.ts'
import { hosted, startSandbox } from '../support/sandbox.ts'

describe('the rate of a world at one host', () => {
  const setUp = () => {
    const time = { now: 1_000_000 }
    const pace = createHostRateLimit(() => time.now, 6)
    const begin = (count: number, target = 'http://shop.example:8080', world = 'a') =>
      Array.from({ length: count }, () => pace(world, target))
    return { time, begin }
  }

  it('allows a burst at first, and then a constant rate', () => {
    const { time, begin } = setUp()
    expect(begin(7)).toEqual([0, 0, 0, 0, 0, 0, 10_000])
    time.now += 9_999
    expect(begin(1)).toEqual([1])
    time.now += 1
    expect(begin(2)).toEqual([0, 10_000])
  })

  it('is full again after a minute', () => {
    const { time, begin } = setUp()
    begin(6)
    time.now += 60_000
    expect(begin(7)).toEqual([0, 0, 0, 0, 0, 0, 10_000])
  })

  it('counts all ports of a host, and neither other hosts, other worlds nor inboxes', () => {
    const { begin } = setUp()
    begin(6)
    expect(begin(1, 'https://shop.example')).toEqual([10_000])
    expect(begin(1, 'https://other.example')).toEqual([0])
    expect(begin(1, 'http://shop.example:8080', 'b')).toEqual([0])
    expect(new Set(begin(100, 'inbox'))).toEqual(new Set([0]))
  })
})

describe('a hosted sandbox', async () => {
  const { world } = await startSandbox(hosted)

  it('sends no callback to the port of another service, and does not retry', async () => {
    const w = world()
    await w.post('/api/v2/payments', { ...collection(w), callback_url: 'http://shop.example:25/' })
    await w.settle()
    const [callback] = (await w.get('/sandbox/callbacks')).body.callbacks
    const { attempts } = (await w.get(`/sandbox/callbacks/${callback.id}`)).body
    expect(callback.state).toBe('failed')
    expect(attempts).toMatchObject([
      {
        response: null,
        error: expect.stringContaining('use 80, 443, 8080, 8443, or have its operator add 25'),
      },
    ])
  })
})
