import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkExpression, startRecurring } from '../../src/scheduler/recurring.ts'

// node-cron is loaded at first use, which must not wait for fake timers.
await checkExpression('* * * * *')

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-06-13T12:00:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function setUp(at: string, timeZone = 'UTC', run: () => Promise<void> = async () => {}) {
  const times: string[] = []
  const due: number[] = []
  const errors: string[] = []
  const work = async (due_at: number) => {
    due.push(due_at)
    times.push(new Date(Date.now()).toISOString().slice(0, 16))
    await run()
  }
  const onError = (error: unknown, name: string) => errors.push(`${name}: ${String(error)}`)
  const stop = await startRecurring([{ name: 'work', at, run: work }], { timeZone, onError })
  return { times, due, errors, stop }
}

describe('recurring work', () => {
  it('runs at its times until stopped', async () => {
    const { times, due, stop } = await setUp('*/10 * * * *')
    await vi.advanceTimersByTimeAsync(25 * MINUTE)
    expect(times).toEqual(['2026-06-13T12:10', '2026-06-13T12:20'])
    expect(due).toEqual(times.map((time) => Date.parse(`${time}:00.000Z`)))
    stop()
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(times).toHaveLength(2)
  })

  it('uses its time zone', async () => {
    const { times, stop } = await setUp('0 3 * * *', 'Africa/Nairobi')
    await vi.advanceTimersByTimeAsync(24 * HOUR)
    stop()
    expect(times).toEqual(['2026-06-14T00:00'])
  })

  it('continues after an error, and reports it', async () => {
    const { times, errors, stop } = await setUp('* * * * *', 'UTC', async () => {
      throw new Error('broken')
    })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    stop()
    expect([times.length, errors]).toEqual([2, ['work: Error: broken', 'work: Error: broken']])
  })

  it('runs once per minute, even if a timer is early or the clock is set', async () => {
    const { due, stop } = await setUp('* * * * *')
    await vi.advanceTimersByTimeAsync(29_999)
    vi.setSystemTime(Date.parse('2026-06-13T12:00:59.900Z'))
    await vi.advanceTimersByTimeAsync(MINUTE)
    vi.setSystemTime(Date.parse('2026-06-13T11:00:00.000Z'))
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    stop()
    await vi.advanceTimersByTimeAsync(HOUR)
    const times = due.map((time) => new Date(time).toISOString().slice(11, 19))
    expect(times).toEqual(['12:01:00', '11:00:00', '11:01:00', '11:02:00'])
  })

  it('does not start again while it is running', async () => {
    const { times, stop } = await setUp('* * * * *', 'UTC', () => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    stop()
    expect(times).toHaveLength(1)
  })

  it.each(['', 'daily', '* * * *', '61 * * * *', '0 25 * * *'])(
    'rejects the expression "%s"',
    async (expression) => {
      await expect(checkExpression(expression)).rejects.toThrow(/is not a cron expression: use five fields/)
    },
  )
})
