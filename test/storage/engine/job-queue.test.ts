import { describe, expect, it } from 'vitest'
import { type JobQueue, OWNERSHIP } from '../../../src/storage/engine/job-queue.ts'
import { memoryJobQueue } from '../../../src/storage/engine/memory/engine.ts'
import { testDatabase } from '../../support/postgres.ts'
import { createPostgresEngine } from './engines.ts'

const queues: readonly [name: string, create: () => Promise<JobQueue>][] = [
  ['in memory', async () => memoryJobQueue()],
  ...(testDatabase
    ? [
        ['in PostgreSQL', async () => (await createPostgresEngine()).jobs] as [
          string,
          () => Promise<JobQueue>,
        ],
      ]
    : []),
]

describe.each(queues)('a queue of jobs %s', (_, create) => {
  /** Three runners, and the calls of their listeners. */
  async function setUp() {
    const queue = await create()
    const told: string[] = []
    const join = (name: string) =>
      queue.join({
        onWake: (world) => told.push(`${name} wakes for ${world}`),
        onRequested: (world) => told.push(`${name} is asked for ${world}`),
      })
    return { told, a: join('a'), b: join('b'), c: join('c') }
  }
  const granted = (until: number) => ({ granted: true, until })
  const refused = (until: number) => ({ granted: false, until })

  it('gives one world to one runner, and other worlds to others', async () => {
    const { a, b } = await setUp()
    expect(await a.claim('demo', 0)).toEqual(granted(OWNERSHIP))
    expect(await b.claim('demo', 1)).toEqual(refused(OWNERSHIP))
    expect(await b.claim('demo+b', 1)).toEqual(granted(OWNERSHIP + 1))
  })

  it('renews the ownership for its owner, and transfers it after its end', async () => {
    const { a, b } = await setUp()
    await a.claim('demo', 0)
    expect(await a.claim('demo', 5_000)).toEqual(granted(OWNERSHIP + 5_000))
    expect(await b.claim('demo', OWNERSHIP)).toEqual(refused(OWNERSHIP + 5_000))
    expect(await b.claim('demo', OWNERSHIP + 5_000)).toEqual(granted(2 * OWNERSHIP + 5_000))
    expect(await a.claim('demo', OWNERSHIP + 5_001)).toEqual(refused(2 * OWNERSHIP + 5_000))
  })

  it('wakes the refused runners when a world is released', async () => {
    const { a, b, c, told } = await setUp()
    await a.claim('demo', 0)
    await b.claim('demo', 0)
    await a.claim('demo', 1)
    await c.release('demo')
    expect(told).toEqual([])
    await a.release('demo')
    await hearing(told, 1)
    expect(told).toEqual(['b wakes for demo'])
    expect(await c.claim('demo', 2)).toEqual(granted(OWNERSHIP + 2))
  })

  it('asks the owner of a world to release it, and wakes the caller', async () => {
    const { a, b, told } = await setUp()
    await a.claim('demo', 0)
    await b.request('demo')
    await hearing(told, 1)
    expect(told).toEqual(['a is asked for demo'])
    await a.release('demo')
    await hearing(told, 2)
    expect(told[1]).toBe('b wakes for demo')
    await b.request('demo')
    await hearing(told, 3)
    expect(told[2]).toBe('b wakes for demo')
  })

  it('wakes all other runners for an announcement', async () => {
    const { a, told } = await setUp()
    await a.announce('demo')
    await hearing(told, 2)
    expect(told.toSorted()).toEqual(['b wakes for demo', 'c wakes for demo'])
  })

  it('releases the worlds of a runner that leaves, and stops calling it', async () => {
    const { a, b, c, told } = await setUp()
    await a.claim('demo', 0)
    await a.leave()
    await hearing(told, 2)
    expect(told.toSorted()).toEqual(['b wakes for demo', 'c wakes for demo'])
    expect(await b.claim('demo', 1)).toEqual(granted(OWNERSHIP + 1))
    await c.announce('demo')
    await hearing(told, 3)
    expect(told[2]).toBe('b wakes for demo')
  })
})

/** Resolves after a number of calls. */
async function hearing(told: readonly string[], count: number) {
  await expect.poll(() => told.length).toBe(count)
}
