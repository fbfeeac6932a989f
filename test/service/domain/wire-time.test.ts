import { expect, test } from 'vitest'
import { exactTime, wireTime } from '../../../src/service/domain/wire-time.ts'

test.each([
  '2026-06-30T00:44:53Z',
  '2026-06-30T23:59:59Z',
  '2026-07-01T00:00:00Z',
  '2024-02-29T12:30:01Z',
  '1969-12-31T23:59:58Z',
  '2026-06-30T07:08:09Z',
])('formats %s as it was parsed, regardless of earlier days', (text) => {
  expect(wireTime(Date.parse(text))).toBe(text)
  expect(wireTime(Date.parse(text) + 999)).toBe(text)
})

test.each([
  [9e15, '9999-12-31T23:59:59'],
  [Infinity, '9999-12-31T23:59:59'],
  [Date.parse('+010000-01-01T00:00:00Z'), '9999-12-31T23:59:59'],
  [-9e15, '0000-01-01T00:00:00'],
  [Number.NaN, '0000-01-01T00:00:00'],
])('formats the out-of-range time %d as the nearest valid time', (time, written) => {
  expect(wireTime(time)).toBe(`${written}Z`)
  expect(exactTime(time).slice(0, 19)).toBe(written)
})
