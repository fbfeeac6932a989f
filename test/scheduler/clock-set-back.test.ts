import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { collection } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-06-13T12:00:00Z')

// The test controls the timers.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('settles and sends callbacks on time after the machine was set back an hour; signatures contain its time', async () => {
  const now = { wall: START, monotonic: 0 }
  const pass = async (ms: number) => {
    now.wall += ms
    now.monotonic += ms
    await vi.advanceTimersByTimeAsync(ms)
  }
  const { world } = await startSandbox(
    { SANDBOX_SETTLE_AFTER: '10s' },
    {
      wall: () => now.wall,
      monotonic: () => now.monotonic,
      clock: { real_anchor: 0, world_anchor: 0, speed: 1 },
    },
  )
  const own = world()
  expect((await own.post('/api/v2/payments', collection(own))).status).toBe(201)
  await pass(2_000)
  now.wall -= HOUR
  for (let second = 0; second < 7; second += 1) await pass(1_000)
  expect(own.callbacks()).toEqual([])
  for (let second = 0; second < 4; second += 1) await pass(1_000)
  await vi.waitFor(() => expect(own.callbacks()).toHaveLength(1), { timeout: 20_000 })

  const dated = Number(own.callbacks()[0]!.headers['webhook-timestamp']) * 1_000
  expect(dated).toBeLessThan(START - HOUR + 15_000)
  const { now: shown, real_time } = (await own.get('/sandbox/clock')).body
  expect(Date.parse(shown) - START).toBeGreaterThan(10_000)
  expect(Date.parse(real_time)).toBe(now.wall)
})
