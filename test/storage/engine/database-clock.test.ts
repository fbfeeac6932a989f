import { describe, expect, it } from 'vitest'
import { DatabaseClock } from '../../../src/storage/engine/postgres/client.ts'

describe('the clock of a database', () => {
  /** The database's clock is at a million when monotonic time is 0. */
  function start(machine = (at: number) => 1_000_000 + at) {
    let at = 0
    const warnings: string[] = []
    const clock = new DatabaseClock(
      () => machine(at),
      (message) => warnings.push(message),
      () => at,
    )
    /** Reads the clock with a delay each way, milliseconds. */
    const look = (there: number, back: number, ahead = 0) => {
      const sent = at
      at += there
      const time = 1_000_000 + at + ahead
      at += back
      clock.note(sent, at, time)
    }
    return {
      clock,
      look,
      warnings,
      wait: (ms: number) => void (at += ms),
      error: () => clock.wall() - 1_000_000 - at,
    }
  }

  it('is accurate to half of the fastest round trip', () => {
    const { clock, look, error } = start()
    look(0, 400)
    expect(error()).toBe(-200)
    look(1, 3)
    expect(error()).toBe(-1)
    look(0, 400)
    expect(error()).toBe(-1)
    expect(clock.wall()).toBe(1_000_803)
  })

  it('uses a slower reading once the last may have drifted further', () => {
    const { look, wait, error } = start()
    look(1, 3)
    wait(100_000)
    look(40, 0)
    expect(error()).toBe(20)
  })

  it('follows immediately when the database’s clock is set', () => {
    const { look, error } = start()
    look(1, 1)
    look(30, 30, 60_000)
    expect(error()).toBe(60_000)
    look(30, 30, -60_000)
    expect(error()).toBe(-60_000)
  })

  it('warns once about a machine that differs by more than 2 s, and again after it was set', () => {
    let ahead = 1_999
    const { look, warnings } = start((at) => 1_000_000 + at + ahead)
    look(1, 1)
    expect(warnings).toEqual([])
    ahead = -2_500
    look(1, 1)
    look(1, 1)
    expect(warnings).toEqual([expect.stringContaining('3 s behind the database')])
    ahead = 0
    look(1, 1)
    ahead = 7_000
    look(1, 1)
    expect(warnings).toEqual([expect.anything(), expect.stringContaining('7 s ahead of the database')])
  })
})
