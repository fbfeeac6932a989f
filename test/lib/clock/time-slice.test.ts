import { describe, expect, it, vi } from 'vitest'
import { timeSlice } from '../../../src/lib/clock/clock.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('time slices of the event loop', () => {
  it('run one piece of work per turn', async () => {
    const ran: string[] = []
    const work = async (name: string) => {
      await timeSlice(name)
      ran.push(name)
    }
    void work('first')
    void work('second')
    void work('third')
    await Promise.resolve()
    await Promise.resolve()
    expect(ran).toEqual(['first'])
    await nextTurn()
    expect(ran).toEqual(['first', 'second'])
    await nextTurn()
    expect(ran).toEqual(['first', 'second', 'third'])
  })

  it('rotate between worlds, however much work each has', async () => {
    const ran: string[] = []
    const work = async (world: string, name: string) => {
      const slice = await timeSlice(world)
      ran.push(`${name}1`)
      await slice.next()
      ran.push(`${name}2`)
    }
    await Promise.all([work('greedy', 'a'), work('greedy', 'b'), work('greedy', 'c'), work('modest', 'x')])
    expect(ran.indexOf('x2')).toBeLessThan(5)
    expect(ran).toHaveLength(8)
  })

  it('end after a while and restart in the next turn', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    const slice = await timeSlice('one')
    expect(slice.over).toBe(false)
    clock.mockReturnValue(1_010)
    expect(slice.over).toBe(true)
    await slice.next()
    expect(slice.over).toBe(false)
    clock.mockRestore()
  })

  it('let timers fire between two slices', async () => {
    const fired = new Promise<string>((resolve) => setTimeout(() => resolve('fired'), 1))
    const slice = await timeSlice('one')
    const worked = (async () => {
      for (let turns = 0; turns < 100_000; turns++) await slice.next()
      return 'worked'
    })()
    expect(await Promise.race([worked, fired])).toBe('fired')
    await worked
  })
})
