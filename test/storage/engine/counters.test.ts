import { afterEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { engines } from './engines.ts'

const MINUTE = 60_000
const opened: Engine[] = []
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})

/** The behaviour of rate limits in every engine. */
describe.each(engines)('counts of an engine %s', (_, create) => {
  const open = async () => {
    const engine = await create()
    opened.push(engine)
    return engine.counters
  }

  it('takes up to the limit per name and minute, and returns the time until the next window', async () => {
    const keys = (await open()).open('key', { most: 3 })
    const waits = []
    for (let n = 0; n < 5; n++) waits.push(await keys.take('demo', MINUTE + 10_000))
    expect(waits).toEqual([0, 0, 0, 50_000, 50_000])
    expect(await keys.take('other', MINUTE + 10_000)).toBe(0)
    expect(keys.count('demo', MINUTE + 10_000)).toBe(3)
    expect(await keys.take('demo', 2 * MINUTE)).toBe(0)
    expect(keys.count('demo', 2 * MINUTE)).toBe(1)
  })

  it('grants concurrent calls up to the limit', async () => {
    const keys = (await open()).open('key', { most: 10 })
    const waits = await Promise.all(Array.from({ length: 25 }, async () => keys.take('demo', 0)))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10)
    expect(new Set(waits)).toEqual(new Set([0, MINUTE]))
  })

  it('supports longer windows, and counts other subjects separately', async () => {
    const counters = await open()
    const signUps = counters.open('sign-up', { most: 1, per: 60 * MINUTE })
    expect(await signUps.take('10.0.0.1', 0)).toBe(0)
    expect(await signUps.take('10.0.0.1', 59 * MINUTE)).toBe(MINUTE)
    expect(await counters.open('key', { most: 1 }).take('10.0.0.1', 0)).toBe(0)
  })

  it('adds beyond the limit, and returns the count', async () => {
    const guesses = (await open()).open('guess', { most: 2 })
    const counts = []
    for (let n = 0; n < 3; n++) counts.push(await guesses.add('10.0.0.1', 0))
    expect(counts).toEqual([1, 2, 3])
    expect(guesses.count('10.0.0.1', 0)).toBeGreaterThanOrEqual(2)
    expect(await guesses.take('10.0.0.1', 0)).toBe(MINUTE)
    expect(guesses.count('10.0.0.1', MINUTE)).toBe(0)
  })
})

describe.skipIf(!testDatabase)(
  `counts of several engines ${testDatabase ? 'over one database' : NO_DATABASE}`,
  () => {
    const MOST = 60
    async function start(count: number) {
      const url = await emptyDatabase()
      const engines = []
      for (let n = 0; n < count; n++) engines.push(await openPostgresEngine({ url, time: 'given' }))
      opened.push(...engines)
      return { engines, counters: engines.map(({ counters }) => counters.open('key', { most: MOST })) }
    }
    const passed = async (waits: (number | Promise<number>)[]) =>
      (await Promise.all(waits)).filter((wait) => wait === 0).length

    it('lets 60 requests through at a limit of 60 per minute, in any process', async () => {
      const { counters } = await start(3)
      const waits = []
      for (let n = 0; n < 300; n++) waits.push(await counters[n % 3]!.take('demo', 0))
      const through = await passed(waits)
      expect(through).toBeLessThanOrEqual(MOST)
      // Each of the others may hold an eighth of what was left.
      expect(through).toBeGreaterThanOrEqual(MOST - 2 * (MOST / 8))
    })

    it('also for concurrent requests', async () => {
      const { counters } = await start(3)
      const waits = Array.from({ length: 300 }, (_, n) => counters[n % 3]!.take('demo', 0))
      expect(await passed(waits)).toBe(MOST)
    })

    it('lets all 60 through in a single process', async () => {
      const { counters } = await start(3)
      const waits = []
      for (let n = 0; n < 80; n++) waits.push(await counters[0]!.take('demo', 0))
      expect(waits.indexOf(MINUTE)).toBe(MOST)
    })

    it('takes most without asking the database', async () => {
      const url = await emptyDatabase()
      const engine = await openPostgresEngine({ url, time: 'given' })
      opened.push(engine)
      const keys = engine.counters.open('key', { most: 6_000 })
      let asked = 0
      for (let n = 0; n < 3_000; n++) {
        const wait = keys.take('demo', 0)
        if (typeof wait !== 'number') asked++
        expect(await wait).toBe(0)
      }
      expect(asked).toBeLessThan(20)
    })

    it('returns unused reservations to other processes after a while', async () => {
      const { engines, counters } = await start(2)
      for (let n = 0; n < 20; n++) await counters[0]!.take('demo', 0)
      await engines[0]!.close()
      const waits = []
      for (let n = 0; n < 60; n++) waits.push(await counters[1]!.take('demo', 0))
      expect(await passed(waits)).toBe(MOST - 20)
    })

    it('counts attempts that another process saw', async () => {
      const { engines } = await start(2)
      const [a, b] = engines.map(({ counters }) => counters.open('guess', { most: 3 }))
      for (let n = 0; n < 3; n++) await a!.add('10.0.0.1', 0)
      expect(a!.count('10.0.0.1', 0)).toBe(3)
      expect(await b!.add('10.0.0.1', 0)).toBe(4)
      expect(b!.count('10.0.0.1', 0)).toBeGreaterThanOrEqual(3)
    })

    it('reads the counts of other processes', async () => {
      const { counters } = await start(2)
      await counters[0]!.take('demo', 0)
      expect(counters[1]!.count('demo', 0)).toBe(0)
      await counters[1]!.look('demo', 0)
      expect(counters[1]!.count('demo', 0)).toBe(1)
    })
  },
)
