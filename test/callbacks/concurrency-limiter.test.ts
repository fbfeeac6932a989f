import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConcurrencyLimiter, type ConcurrencyLimits } from '../../src/callbacks/limits.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A limiter whose work ends when the test says so; entries are written `world>target#n`. */
function setUp(limits: Partial<ConcurrencyLimits> = {}) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const limiter = createConcurrencyLimiter<string>(
    { perTarget: 100, perWorld: 100, total: 100, ...limits },
    (entry) => {
      started.push(entry)
      return new Promise((resolve) => ends.set(entry, resolve))
    },
  )
  const add = (world: string, target: string, count = 1) => {
    for (let n = 1; n <= count; n++) limiter.add(world, target, `${world}>${target}#${n}`)
  }
  const end = async (...entries: string[]) => {
    for (const entry of entries) {
      ends.get(entry)!()
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  return { limiter, started, add, end }
}

describe('work for one target', () => {
  it('rotates between worlds, however long their queues are', async () => {
    const { add, end, started } = setUp({ perTarget: 2 })
    add('a', 'shop', 3_000)
    add('b', 'shop', 2)
    add('c', 'shop')
    await end('a>shop#1', 'a>shop#2', 'a>shop#3', 'b>shop#1', 'c>shop#1')
    expect(started).toEqual([
      'a>shop#1',
      'a>shop#2',
      'a>shop#3',
      'b>shop#1',
      'c>shop#1',
      'a>shop#4',
      'b>shop#2',
    ])
  })

  it('does not delay work for other targets', () => {
    const { add, started } = setUp({ perTarget: 1 })
    add('a', 'hangs', 5)
    add('a', 'shop')
    expect(started).toEqual(['a>hangs#1', 'a>shop#1'])
  })
})

describe('a world with many running tasks', () => {
  it('waits at its limit without delaying other worlds', async () => {
    const { add, end, started } = setUp({ perWorld: 3 })
    for (const target of ['1', '2', '3', '4', '5']) add('a', target)
    add('b', '4')
    expect(started).toEqual(['a>1#1', 'a>2#1', 'a>3#1', 'b>4#1'])
    await end('a>2#1')
    expect(started.at(-1)).toBe('a>4#1')
  })

  it('does not use up places of a target while it may not start', async () => {
    const { add, end, started } = setUp({ perTarget: 2, perWorld: 1 })
    add('a', 'hangs')
    add('a', 'shop', 5)
    add('b', 'shop')
    add('c', 'shop')
    add('d', 'shop')
    expect(started).toEqual(['a>hangs#1', 'b>shop#1', 'c>shop#1'])
    await end('b>shop#1')
    expect(started.at(-1)).toBe('d>shop#1')
  })
})

describe('the total limit', () => {
  it('admits worlds in turn as places become free, and reports when it is reached', async () => {
    const onFull = vi.fn<() => void>()
    const { add, end, started, limiter } = setUp({ total: 4, onFull })
    for (let n = 1; n <= 6; n++) add('a', `hangs-${n}`)
    expect(onFull).toHaveBeenCalledTimes(2)
    add('b', 'shop', 2)
    add('c', 'shop')
    expect([limiter.running, limiter.waiting]).toEqual([4, 5])
    await end('a>hangs-1#1', 'a>hangs-2#1', 'a>hangs-3#1', 'b>shop#1', 'c>shop#1')
    expect(started.slice(4)).toEqual(['a>hangs-5#1', 'b>shop#1', 'c>shop#1', 'a>hangs-6#1', 'b>shop#2'])
  })

  it('leaves nothing behind', async () => {
    const { add, end, limiter } = setUp({ total: 1, perTarget: 1 })
    add('a', 'shop', 2)
    add('b', 'shop')
    await end('a>shop#1', 'a>shop#2', 'b>shop#1')
    expect([limiter.running, limiter.waiting]).toEqual([0, 0])
  })
})

describe('takeBack', () => {
  it('returns matching entries of one world in order; the others run', async () => {
    const { add, end, started, limiter } = setUp({ perTarget: 1 })
    add('a', 'shop', 4)
    add('b', 'shop')
    expect(limiter.takeBack('a', (entry) => entry !== 'a>shop#3')).toEqual(['a>shop#2', 'a>shop#4'])
    expect(limiter.waiting).toBe(2)
    await end('a>shop#1', 'a>shop#3')
    expect(started).toEqual(['a>shop#1', 'a>shop#3', 'b>shop#1'])
  })
})

describe('a pause between tasks of a world for a target', () => {
  it('delays only the tasks beyond it, in order', async () => {
    const begun = new Map<string, number>()
    const pause = (world: string, target: string) => {
      const key = `${world}>${target}`
      const left = (begun.get(key) ?? -Infinity) + 1_000 - Date.now()
      if (left > 0) return left
      begun.set(key, Date.now())
      return 0
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
    const { add, started } = setUp({ pause })
    add('a', 'shop', 3)
    add('b', 'shop')
    add('a', 'else')
    expect(started).toEqual(['a>shop#1', 'b>shop#1', 'a>else#1'])
    await vi.advanceTimersByTimeAsync(999)
    expect(started).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(1_001)
    expect(started.slice(3)).toEqual(['a>shop#2', 'a>shop#3'])
  })
})
