import { expect, test } from 'vitest'
import { steadyWall } from '../../../src/lib/clock/clock.ts'

const START = Date.parse('2026-06-13T12:00:00Z')
const HOUR = 3_600_000

function machine() {
  const now = { wall: START, monotonic: 0 }
  return {
    now,
    steady: steadyWall(
      () => now.wall,
      () => now.monotonic,
    ),
    pass(ms: number) {
      now.wall += ms
      now.monotonic += ms
    },
  }
}

test('equals real time as long as the machine’s clock advances', () => {
  const { now, steady, pass } = machine()
  for (const ms of [0, 1, 0.4, 0.6, 1_000, HOUR]) {
    pass(ms)
    expect(steady()).toBe(Math.floor(now.wall))
  }
})

test('runs at 90 % speed after the clock was set back, until they meet', () => {
  const { now, steady, pass } = machine()
  pass(5_000)
  expect(steady()).toBe(START + 5_000)
  pass(1_000)
  now.wall -= HOUR
  expect(steady()).toBe(START + 5_900)
  pass(10_000)
  expect(steady()).toBe(START + 14_900)
  pass(0)
  expect(steady()).toBe(START + 14_900)
  let last = steady()
  for (let hours = 0; hours < 11; hours += 1) {
    pass(HOUR)
    expect(steady()).toBeGreaterThan(last)
    last = steady()
  }
  expect(steady()).toBe(Math.floor(now.wall))
})

test('follows a jump ahead, for example after sleep', () => {
  const { now, steady, pass } = machine()
  pass(1)
  steady()
  now.wall += 8 * HOUR
  expect(steady()).toBe(START + 1 + 8 * HOUR)
})

test('never goes back', () => {
  const { now, steady, pass } = machine()
  let last = steady()
  for (const [step, ms] of [-3, 5_000, -HOUR, 0, 12, -1, HOUR, -2 * HOUR, 40].entries()) {
    now.wall += ms
    pass(step)
    const time = steady()
    expect(time).toBeGreaterThanOrEqual(last)
    expect(Number.isInteger(time)).toBe(true)
    last = time
  }
})
