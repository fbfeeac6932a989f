import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClockState } from '../../src/clock.ts'
import { addJob } from '../../src/domain/jobs.ts'
import { LEASE } from '../../src/engine/job-queue.ts'
import { setUpScheduler, START, still } from './fixtures.ts'

const HOUR = 3_600_000

// Timers and the wall are the test's own; nothing waits for real.
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: START,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Two schedulers over one store and one queue; what runs is written down with who ran it. */
async function setUp(clock?: ClockState) {
  const parts = await setUpScheduler(clock)
  const ran: string[] = []
  const start = (name: string) =>
    parts.start({
      async run(world, job, generation) {
        ran.push(`${name}: ${await parts.options.run(world, job, generation)}`)
        return name
      },
    })
  return { ...parts, a: await start('a'), b: await start('b'), ran }
}

describe('two schedulers over one store', () => {
  it('run each job once', async () => {
    const { owe, ran } = await setUp()
    for (let label = 1; label <= 20; label++) await owe(label * 500, label)
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(ran).toHaveLength(20)
  })
})
