import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClockState } from '../../src/lib/clock/clock.ts'
import { addJob } from '../../src/service/domain/context.ts'
import { OWNERSHIP } from '../../src/storage/engine/job-queue.ts'
import { setUpScheduler, START, still } from './fixtures.ts'

const HOUR = 3_600_000

// The test controls timers and time.
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: START,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Two schedulers over one store and one queue; runs are recorded with the scheduler. */
async function setUp(clock?: ClockState) {
  const parts = await setUpScheduler(clock)
  const by: string[] = []
  const start = (name: string) =>
    parts.start({
      run(world, job, generation) {
        by.push(name)
        return parts.options.run(world, job, generation)
      },
    })
  const callback = (callback_id: number) =>
    parts.world.change((tx) => addJob(tx, 0, { kind: 'callback', callback_id }))
  return { ...parts, a: await start('a'), b: await start('b'), by, callback }
}

/** Work that takes a turn of the event loop, in which the other scheduler could start it too. */
const aTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** Advances time, and the turns of the event loop that requests need. */
async function pass(ms: number) {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 5; turn++) await aTurn()
}

describe('two schedulers over one store', () => {
  it('run each job once, in due order', async () => {
    const { owe, ran, by, onRun } = await setUp()
    onRun.effect = aTurn
    for (let label = 20; label >= 1; label--) await owe(label * 5_000, label)
    await pass(HOUR)
    expect(ran).toEqual(Array.from({ length: 20 }, (_, n) => `${n + 1} at ${(n + 1) * 5_000}`))
    expect(by).toHaveLength(20)
  })

  it('send a callback once, however long its receiver takes', async () => {
    const { callback, ran, onRun } = await setUp()
    let end = () => {}
    onRun.effect = () => new Promise((resolve) => (end = resolve))
    await callback(1)
    await callback(2)
    await pass(5 * OWNERSHIP)
    expect(ran).toHaveLength(1)
    onRun.effect = async () => {}
    end()
    await pass(1)
    expect(ran).toHaveLength(2)
    await pass(HOUR)
    expect(ran).toHaveLength(2)
  })

  it('continue each other’s work immediately when one closes', async () => {
    const { a, b, owe, by, ran } = await setUp()
    await owe(10, 1)
    await owe(1_000, 2)
    await owe(2_000, 3)
    await pass(1_000)
    const [first, second] = by[0] === 'a' ? [a, b] : [b, a]
    await first.close()
    await pass(1_000)
    expect(ran).toEqual(['1 at 10', '2 at 1000', '3 at 2000'])
    expect(by).toEqual(by[0] === 'a' ? ['a', 'a', 'b'] : ['b', 'b', 'a'])
    await second.close()
  })

  it('take over when the ownership of a silent process expires', async () => {
    const { owe, ran, options } = await setUp()
    const lost = options.jobs.join({ onWake() {}, onRequested() {} })
    await lost.claim('demo', Date.now())
    await owe(10, 1)
    await pass(OWNERSHIP - 1)
    expect(ran).toEqual([])
    await pass(10)
    expect(ran).toHaveLength(1)
  })
})

it('releases a world that was idle for the duration of its ownership', async () => {
  const { options, start, owe, ran } = await setUpScheduler()
  await start()
  const other = options.jobs.join({ onWake() {}, onRequested() {} })
  const canClaim = async () => (await other.claim('demo', options.wall())).granted
  await owe(10, 1)
  await pass(10)
  expect([ran.length, await canClaim()]).toEqual([1, false])
  await pass(OWNERSHIP)
  expect(await canClaim()).toBe(true)
})

describe('a world that both control', () => {
  it('is moved by one at a time, and every job runs once in due order', async () => {
    const { a, b, owe, ran, onRun, world } = await setUp(still)
    onRun.effect = aTurn
    for (let label = 1; label <= 30; label++) await owe(label, label)
    await Promise.all([a.settle(world, 10), b.settle(world), a.advance(world, START + HOUR)])
    expect(ran).toEqual(Array.from({ length: 30 }, (_, n) => `${n + 1} at ${n + 1}`))
    expect(world.clock.now()).toBe(START + HOUR)
  })

  it('is waited for until the other has finished its running work', async () => {
    const { a, b, by, callback, onRun, ran, world, owe } = await setUp()
    let end = () => {}
    onRun.effect = () => new Promise((resolve) => (end = resolve))
    await callback(1)
    await pass(0)
    onRun.effect = async () => {}
    await owe(HOUR, 2)
    const leap = (by[0] === 'a' ? b : a).advance(world, world.clock.now() + 2 * HOUR)
    await pass(5_000)
    expect(ran).toHaveLength(1)
    end()
    await pass(1)
    expect((await leap).map(({ result }) => result)).toEqual(['done'])
    expect(by).toEqual(by[0] === 'a' ? ['a', 'b'] : ['b', 'a'])
  })

  it('is moved after its rows were replaced while waiting for a silent process', async () => {
    const { a, b, owe, ran, world, options } = await setUp()
    await b.close()
    const lost = options.jobs.join({ onWake() {}, onRequested() {} })
    await lost.claim('demo', Date.now())
    await owe(10, 1)
    await pass(10)
    const leap = a.advance(world, START + HOUR)
    await pass(10)
    await a.reload('demo')
    await pass(OWNERSHIP)
    await leap
    expect(ran).toHaveLength(1)
    expect(world.clock.now()).toBeGreaterThanOrEqual(START + HOUR)
  })

  it('has a job run immediately and once by the process that is called', async () => {
    const { a, b, by, owe, world, ran } = await setUp()
    await owe(10, 1)
    await pass(10)
    await owe(HOUR, 2)
    await (by[0] === 'a' ? b : a).runNow(world, 2)
    await pass(2 * HOUR)
    expect(ran).toHaveLength(2)
    expect(by[1]).not.toBe(by[0])
  })

  it('shares its new pace with the timer of the other', async () => {
    const { a, owe, ran, world } = await setUp()
    await owe(HOUR, 1)
    world.clock.run(3_600)
    a.clockChanged(world)
    await a.close()
    await pass(1_000)
    expect(ran).toEqual([`1 at ${HOUR}`])
  })

  it('shares replaced rows with the other, even if ids are the same', async () => {
    const { a, b, owe, ran, store } = await setUp()
    await owe(10, 1)
    await owe(20_000, 2)
    await pass(10)
    const task = { kind: 'review', kyc_id: 3, revision: 1, status: 'approved' } as const
    await store.load('demo', { jobs: [{ id: 2, due_at: START + 40_000, task }] })
    await a.reload('demo')
    await a.close()
    await pass(HOUR)
    expect(ran).toEqual(['1 at 10', '3 at 40000'])
    await b.close()
  })
})
