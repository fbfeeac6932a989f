import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/lib/random/random.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('random values', () => {
  it('are the same for the same seed, stream and number, in any order', () => {
    const draw = (order: readonly number[]) => {
      const random = createRandom('seed')
      return new Map(order.map((n) => [n, [random.fraction('a', n), random.uuid('a', n)]]))
    }
    const forward = draw([0, 1, 2, 3])
    const back = draw([3, 2, 1, 0])
    for (const [n, drawn] of forward) expect(back.get(n)).toEqual(drawn)
  })

  it('differ by seed, stream and number', () => {
    const drawn = ['a', 'b'].flatMap((seed) =>
      ['x', 'y'].flatMap((stream) => [0, 1, 2 ** 32, 2 ** 33].map((n) => createRandom(seed).uuid(stream, n))),
    )
    expect(new Set(drawn).size).toBe(16)
  })

  it('distribute fractions evenly in [0, 1)', () => {
    const random = createRandom('seed')
    const drawn = Array.from({ length: 100_000 }, (_, n) => random.fraction('a', n))
    expect(drawn.filter((fraction) => fraction < 0 || fraction >= 1)).toEqual([])
    const tenths = Array.from({ length: 10 }, () => 0)
    for (const fraction of drawn) tenths[Math.floor(fraction * 10)]!++
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500)
  })

  it('have the form of UUID version 4 and do not repeat', () => {
    const random = createRandom('seed')
    const uuids = Array.from({ length: 100_000 }, (_, n) => random.uuid('a', n))
    expect(new Set(uuids).size).toBe(100_000)
    expect(uuids.filter((uuid) => !UUID.test(uuid))).toEqual([])
  })

  it.each([26_000, 100_000, 36 ** 3])(
    'shuffle %d numbers without repetition or a constant distance',
    (size) => {
      const random = createRandom('seed')
      const drawn = Array.from({ length: size }, (_, n) => random.shuffled('a', n, size))
      expect(drawn.toSorted((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, n) => n))
      expect(random.shuffled('a', size, size)).toBe(drawn[0])
      expect(drawn.map((each) => random.unshuffled('a', each, size))).toEqual(drawn.map((_, n) => n))
      const distances = new Set(drawn.slice(1, 101).map((each, n) => (each - drawn[n]! + size) % size))
      expect(distances.size).toBeGreaterThan(80)
    },
  )

  it('derive secrets from their key, stream and number, not from the seed', () => {
    const secret = (seed: string, key: string, stream: string, n: number) =>
      createRandom(seed, key).secret(stream, n)
    expect(secret('seed', 'key', 'a', 1)).toMatch(/^[\w-]{22}$/)
    expect(secret('other', 'key', 'a', 1)).toBe(secret('seed', 'key', 'a', 1))
    const drawn = [secret('seed', 'key', 'a', 1), secret('seed', 'k', 'a', 1), secret('seed', 'key', 'b', 1)]
    expect(new Set([...drawn, secret('seed', 'key', 'a', 2)]).size).toBe(4)
  })
})
