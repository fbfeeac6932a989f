import { AsyncLocalStorage } from 'node:async_hooks'
import { every } from '../support/rows.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClockState } from '../../src/lib/clock/clock.ts'
import { addJob } from '../../src/service/domain/context.ts'
import { StoreUnavailable } from '../../src/storage/store/change.ts'
import type { World } from '../../src/worlds/world.ts'
import { setUpScheduler, START, still } from './fixtures.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

// The test controls timers and time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Starts a scheduler. */
async function setUp(clock?: ClockState, names?: string[]) {
  const parts = await setUpScheduler(clock, names)
  return { ...parts, scheduler: await parts.start() }
}

describe('a stopped clock', () => {
  it('runs nothing, not even overdue jobs', async () => {
    const { owe, ran } = await setUp(still)
    await owe(0, 1)
    await owe(-HOUR, 2)
    await vi.advanceTimersByTimeAsync(DAY)
    expect(ran).toEqual([])
  })

  it('runs due jobs when advanced, in due order, each at its own time', async () => {
    const { owe, ran, scheduler, world } = await setUp(still)
    for (const after of [3000, 1000, 5000, 2000]) await owe(after, after)
    const done = await scheduler.advance(world, START + 3000)
    expect(ran).toEqual(['1000 at 1000', '2000 at 2000', '3000 at 3000'])
    expect(done).toHaveLength(3)
    expect(world.clock.now()).toBe(START + 3000)
    await scheduler.advance(world, START + 4999)
    expect(ran).toHaveLength(3)
    expect(world.clock.now()).toBe(START + 4999)
  })

  it('runs jobs of the same time in the order in which they were added', async () => {
    const { owe, ran, scheduler, world } = await setUp(still)
    for (let label = 0; label < 100; label++) await owe(label % 2 === 0 ? 10 : 20, label)
    await scheduler.settle(world)
    const labels = ran.map((each) => parseInt(each, 10))
    const even = Array.from({ length: 50 }, (_, n) => 2 * n)
    expect(labels).toEqual([...even, ...even.map((label) => label + 1)])
  })

  it('runs jobs that are added and due within the same jump', async () => {
    const { owe, ran, scheduler, world, onRun } = await setUp(still)
    onRun.effect = async (_, job) => {
      if (job.id < 4) await owe(1000, job.id + 10)
    }
    await owe(1000, 0)
    await owe(2500, 1)
    await scheduler.advance(world, START + 3000)
    expect(ran).toEqual(['0 at 1000', '11 at 2000', '1 at 2500', '13 at 3000'])
    await scheduler.settle(world)
    expect(ran.slice(4)).toEqual(['12 at 3500'])
  })

  it('settles until the maximum number of jobs has run', async () => {
    const { owe, ran, scheduler, world, onRun } = await setUp(still)
    onRun.effect = async () => void (await owe(1, 7))
    await owe(1, 7)
    expect(await scheduler.settle(world, 25)).toHaveLength(25)
    expect(ran).toHaveLength(25)
  })

  it('yields to other work between long jobs', async () => {
    const { owe, ran, scheduler, world, onRun } = await setUp(still)
    onRun.effect = async () => {
      if (ran.length === 1) setImmediate(() => ran.push('a request of another world'))
      const until = performance.now() + 10
      while (performance.now() < until);
    }
    for (let label = 0; label < 4; label++) await owe(1, label)
    await scheduler.settle(world)
    const request = ran.indexOf('a request of another world')
    expect([1, 2]).toContain(request)
    expect(ran).toHaveLength(5)
  })

  it('also runs jobs in due order that are added while it yields', async () => {
    const { owe, ran, scheduler, world, onRun } = await setUp(still)
    onRun.effect = async () => {
      if (ran.length === 1) setImmediate(() => void owe(1, 7))
      const until = performance.now() + 10
      while (performance.now() < until);
    }
    for (const after of [1, 1000, 2000]) await owe(after, after)
    await scheduler.advance(world, START + 3000)
    expect(ran).toHaveLength(4)
    const between = ran.findIndex((each) => each.startsWith('7 at'))
    expect([1, 2]).toContain(between)
  })

  it('rejects a jump if the world is reset, and runs nothing twice for two jumps', async () => {
    const { owe, ran, scheduler, world, onRun } = await setUp(still)
    for (let label = 0; label < 3; label++) await owe(1, label)
    await Promise.all([scheduler.settle(world), scheduler.advance(world, START + HOUR)])
    expect(ran).toHaveLength(3)
    expect(world.clock.now()).toBe(START + HOUR)
    onRun.effect = async () => world.close('it was reset')
    await owe(1, 8)
    await owe(1, 9)
    await expect(scheduler.settle(world)).rejects.toThrow('it was reset')
    expect(ran.filter((each) => each.startsWith('9'))).toEqual([])
  })

  it('does not run a job that was deleted before it is due', async () => {
    const { owe, ran, scheduler, world } = await setUp(still)
    await owe(1000, 1)
    await owe(2000, 2)
    await world.change((tx) => {
      const [first] = every(tx.rows, 'jobs')
      tx.rows.delete('jobs', first!.id)
    })
    await scheduler.settle(world)
    expect(ran).toEqual(['2 at 2000'])
  })

  it('runs no jobs of other worlds', async () => {
    const { owe, ran, scheduler, worlds, world } = await setUp(still, ['demo', 'demo+a'])
    await owe(1000, 1, worlds.get('demo+a'))
    await scheduler.advance(world, START + DAY)
    expect(ran).toEqual([])
    await scheduler.settle(worlds.get('demo+a')!)
    expect(ran).toEqual(['1 at 1000'])
  })
})

describe('a clock in real time', () => {
  it('runs each job when it is due and not a millisecond earlier', async () => {
    const { owe, ran } = await setUp()
    await owe(1000, 1)
    await owe(500, 2)
    await vi.advanceTimersByTimeAsync(499)
    expect(ran).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual(['2 at 500'])
    await vi.advanceTimersByTimeAsync(500)
    expect(ran).toEqual(['2 at 500', '1 at 1000'])
  })

  it('runs overdue jobs immediately', async () => {
    const { owe, ran } = await setUp()
    await owe(-DAY, 1)
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual(['1 at 0'])
  })

  it('waits for a job beyond the maximum delay of a timer', async () => {
    const { owe, ran } = await setUp()
    await owe(60 * DAY, 1)
    await vi.advanceTimersByTimeAsync(60 * DAY - 1)
    expect(ran).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual([`1 at ${60 * DAY}`])
  })

  it('runs at the pace of a world that is faster than real time', async () => {
    const { owe, ran } = await setUp({ real_anchor: START, world_anchor: START, speed: 3600 })
    await owe(HOUR, 1)
    await vi.advanceTimersByTimeAsync(999)
    expect(ran).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual([`1 at ${HOUR}`])
  })

  it('continues after a failed job, and reports it', async () => {
    const { owe, ran, errors, onRun } = await setUp()
    onRun.effect = async (_, job) => {
      if (job.id === 1) throw new Error('broken')
    }
    await owe(10, 1)
    await owe(20, 2)
    await vi.advanceTimersByTimeAsync(20)
    // A slow machine ends the time slice between the two jobs.
    await expect.poll(() => ran).toEqual(['1 at 10', '2 at 20'])
    expect(errors).toEqual(['1: Error: broken'])
  })

  it('runs jobs that use the network concurrently, and the others one after another', async () => {
    const { world, owe, ran, onRun } = await setUp()
    const callback = (id: number) =>
      world.change((tx) => addJob(tx, 10, { kind: 'callback', callback_id: id }))
    onRun.effect = (_, job) => (job.task.kind === 'callback' ? new Promise(() => {}) : Promise.resolve())
    await callback(100)
    await callback(200)
    await owe(10, 3)
    await vi.advanceTimersByTimeAsync(10)
    expect(ran).toEqual(['callback at 10', 'callback at 10', '3 at 10'])
  })

  it('runs nothing after close; the next start continues', async () => {
    const { scheduler, start, owe, ran } = await setUp()
    await owe(1000, 1)
    await scheduler.close()
    await vi.advanceTimersByTimeAsync(2000)
    expect(ran).toEqual([])
    await start()
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual(['1 at 2000'])
  })
})

describe('a failing job', () => {
  const pauses = [1_000, 10_000, 60_000, 600_000, 3_600_000]
  const tries = pauses.reduce<number[]>((times, pause) => [...times, times.at(-1)! + pause], [10])
  const broken = async () => {
    throw new Error('broken')
  }
  const jobs = (world: World) => world.read(({ rows }) => every(rows, 'jobs'))

  it('is retried with growing delays, then given up, and stays in the world', async () => {
    const { owe, ran, errors, again, onRun, world } = await setUp()
    onRun.effect = broken
    await owe(10, 7)
    await vi.advanceTimersByTimeAsync(3 * DAY)
    expect(ran).toEqual(tries.map((at) => `7 at ${at}`))
    expect(errors).toEqual(tries.map(() => '7: Error: broken'))
    expect(again).toEqual([...tries.slice(1), null])
    const failed = { times: 6, at: START + tries.at(-1)!, error: 'Error: broken', abandoned: true }
    expect(await jobs(world)).toMatchObject([{ task: { kyc_id: 7 }, failed }])
  })

  it('is done when it succeeds, and its failure is cleared', async () => {
    const { owe, ran, errors, onRun, world } = await setUp()
    onRun.effect = broken
    await owe(10, 7)
    await vi.advanceTimersByTimeAsync(1_010)
    expect(await jobs(world)).toMatchObject([
      { due_at: START + 11_010, failed: { times: 2, abandoned: false } },
    ])
    onRun.effect = async () => {}
    await vi.advanceTimersByTimeAsync(DAY)
    expect(ran).toEqual(['7 at 10', '7 at 1010', '7 at 11010'])
    expect(errors).toHaveLength(2)
    expect(await jobs(world)).toEqual([])
  })

  it('is not retried while the clock is stopped, but at each of its times when the clock is moved', async () => {
    const { owe, ran, onRun, scheduler, world } = await setUp(still)
    onRun.effect = broken
    await owe(10, 7)
    const [first] = await scheduler.advance(world, START + 10)
    expect(first!.result).toBe('failed: Error: broken; next attempt 2026-06-13T12:00:01.010Z')
    await vi.advanceTimersByTimeAsync(DAY)
    expect(ran).toHaveLength(1)
    const rest = await scheduler.settle(world)
    expect(ran).toEqual(tries.map((at) => `7 at ${at}`))
    expect(rest.at(-1)!.result).toBe('failed: Error: broken; given up')
    expect(world.clock.now()).toBe(START + tries.at(-1)!)
    expect(await scheduler.settle(world)).toEqual([])
  })

  it('that was given up is tried once at each start', async () => {
    const { owe, ran, onRun, scheduler, start, world } = await setUp()
    onRun.effect = broken
    await owe(10, 7)
    await vi.advanceTimersByTimeAsync(3 * DAY)
    await scheduler.close()
    const second = await start()
    await vi.advanceTimersByTimeAsync(3 * DAY)
    expect(ran).toHaveLength(7)
    await second.close()
    onRun.effect = async () => {}
    await start()
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toHaveLength(8)
    expect(await jobs(world)).toEqual([])
  })

  it('is also retried if it cannot be dispatched, and delays no other jobs', async () => {
    const { owe, errors, ran, onRun, world } = await setUp()
    onRun.placing = (job) => {
      if (job.id === 1) throw new Error('broken')
    }
    await owe(10, 7)
    await owe(20, 8)
    await vi.advanceTimersByTimeAsync(20)
    expect(ran).toEqual(['8 at 20'])
    expect(errors).toEqual(['7: Error: broken'])
    expect(await jobs(world)).toMatchObject([{ id: 1, failed: { times: 1 } }])
  })

  it.each([
    ['by itself', undefined],
    ['by who moves the clock', still],
  ])('is retried even if the failure could not be written, %s', async (_, clock) => {
    const { owe, errors, ran, onRun, scheduler, world } = await setUp(clock)
    onRun.effect = async () => {
      onRun.effect = async () => {}
      vi.spyOn(world, 'change').mockRejectedValueOnce(new Error('the disk is full'))
      throw new Error('broken')
    }
    await owe(10, 7)
    const move = () =>
      clock ? scheduler.advance(world, world.clock.now() + HOUR) : vi.advanceTimersByTimeAsync(HOUR)
    await move()
    expect(errors).toEqual(['7: Error: broken', '7: Error: the disk is full'])
    await move()
    expect(ran).toHaveLength(2)
    expect(await jobs(world)).toEqual([])
  })
})

describe('the context of a job', () => {
  it.each([
    ['by itself', undefined],
    ['by who moves the clock', still],
  ])('is not that of the request that created it or the one before, %s', async (_, clock) => {
    const { owe, onRun, scheduler, world } = await setUp(clock)
    const request = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    onRun.effect = async () => void seen.push(request.getStore())
    await request.run('a request', async () => {
      await owe(10, 7)
      await owe(20, 8)
      if (clock) await scheduler.advance(world, world.clock.now() + HOUR)
    })
    await vi.advanceTimersByTimeAsync(100)
    expect(seen).toEqual([undefined, undefined])
  })
})

describe('a job that the store refused because another process changed the world', () => {
  it('is retried after 5 s', async () => {
    const { owe, ran, onRun, world } = await setUp()
    const refused = new StoreUnavailable('Another process changed the rows at the same time.')
    onRun.effect = async () => {
      onRun.effect = async () => {}
      vi.spyOn(world, 'change').mockRejectedValueOnce(refused)
      throw refused
    }
    await owe(10, 7)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(ran).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(ran).toHaveLength(2)
    expect(await world.read(({ rows }) => every(rows, 'jobs'))).toEqual([])
  })
})

describe('jobs that use the network', () => {
  const setUpCallbacks = async () => {
    const parts = await setUp()
    const { world, onRun } = parts
    const started: number[] = []
    const ends = new Map<number, () => void>()
    onRun.effect = (_, { task }) => {
      const { callback_id } = task as { callback_id: number }
      started.push(callback_id)
      return new Promise((resolve) => ends.set(callback_id, resolve))
    }
    const owe = (...ids: number[]) =>
      world.change((tx) => {
        for (const callback_id of ids) addJob(tx, 0, { kind: 'callback', callback_id })
      })
    /** Advances a millisecond, and the turns of the event loop that requests need. */
    const pass = async () => {
      await vi.advanceTimersByTimeAsync(1)
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    const end = async (id: number) => {
      ends.get(id)!()
      await pass()
    }
    return { ...parts, owe, started, end, pass }
  }

  it('run one after another within a series', async () => {
    const { owe, started, end, pass } = await setUpCallbacks()
    await owe(101, 102, 103, 201)
    await pass()
    expect(started).toEqual([101, 201])
    await end(101)
    expect(started).toEqual([101, 201, 102])
    await end(102)
    expect(started).toEqual([101, 201, 102, 103])
  })

  it('run 64 at a time per target without delaying other targets', async () => {
    const { owe, started, end, pass } = await setUpCallbacks()
    const toOne = Array.from({ length: 100 }, (_, n) => (n + 1) * 100)
    await owe(...toOne, 99_901)
    await pass()
    expect(started).toEqual([...toOne.slice(0, 64), 99_901])
    await end(6_400)
    expect(started.at(-1)).toBe(6_500)
  })

  it('are discarded with the rows of their world while they wait', async () => {
    const { owe, started, end, pass, scheduler, store } = await setUpCallbacks()
    await owe(...Array.from({ length: 70 }, (_, n) => (n + 1) * 100), 101)
    await pass()
    await store.load('demo', {})
    await scheduler.reload('demo')
    await owe(9_901)
    await pass()
    await end(100)
    expect(started.slice(64)).toEqual([9_901])
  })

  it('finish before a jump, which then runs the others in order', async () => {
    const { owe, started, end, pass, scheduler, world } = await setUpCallbacks()
    await owe(101)
    await pass()
    await owe(102, 201)
    const leap = scheduler.advance(world, START + DAY)
    await pass()
    expect(started).toEqual([101])
    for (const id of [101, 102, 201]) await end(id)
    expect((await leap).map(({ job }) => job.task)).toMatchObject([
      { callback_id: 102 },
      { callback_id: 201 },
    ])
    expect(started).toEqual([101, 102, 201])
  })
})
