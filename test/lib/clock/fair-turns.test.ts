import { describe, expect, it } from 'vitest'
import { FairTurns } from '../../../src/lib/clock/clock.ts'

const turn = () => new Promise((resolve) => void setImmediate(resolve))

/** Lets requests of worlds enter. Returns the order in which they start. */
function entering(turns: FairTurns) {
  const begun: string[] = []
  return {
    begun,
    enter(world: string, count = 1) {
      for (let n = 0; n < count; n++) {
        const later = turns.enter(world)
        if (later) void later.then(() => begun.push(world))
        else begun.push(world)
      }
    },
  }
}

describe('requests of worlds', () => {
  it('start immediately while only one world has requests', () => {
    const { begun, enter } = entering(new FairTurns())
    enter('a', 100)
    expect(begun).toHaveLength(100)
  })

  it('of one world do not wait for a hundred of another', async () => {
    const { begun, enter } = entering(new FairTurns())
    enter('b')
    enter('a', 100)
    expect(begun).toHaveLength(1 + 4)
    enter('b')
    expect(begun.at(-1)).toBe('b')
    await turn()
    enter('b')
    expect(begun.lastIndexOf('b')).toBeLessThan(12)
    for (let n = 0; n < 30; n++) await turn()
    expect(begun).toHaveLength(103)
  })

  it('rotate between worlds, in order of arrival within each', async () => {
    const turns = new FairTurns()
    const begun: string[] = []
    const enter = (world: string, n: number) =>
      void (turns.enter(world) ?? Promise.resolve()).then(() => begun.push(`${world}${n}`))
    enter('b', 0)
    for (let n = 0; n < 9; n++) enter('a', n)
    for (let n = 1; n < 9; n++) enter('b', n)
    for (let n = 0; n < 5; n++) await turn()
    const of = (world: string) => begun.filter((each) => each.startsWith(world))
    expect(of('a')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `a${n}`))
    expect(of('b')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `b${n}`))
    expect(begun.indexOf('b5')).toBeLessThan(begun.indexOf('a8'))
  })

  it('start immediately again after the other worlds have been quiet for a while', async () => {
    const { begun, enter } = entering(new FairTurns())
    enter('b')
    for (let n = 0; n < 70; n++) {
      enter('a')
      await turn()
    }
    enter('a', 100)
    expect(begun).toHaveLength(171)
  })
})
