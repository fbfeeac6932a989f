import { expect, test } from 'vitest'
import { wireTime } from '../../src/domain/wire-time.ts'

test.each([
  '2026-06-30T00:44:53Z',
  '2026-06-30T23:59:59Z',
  '2026-07-01T00:00:00Z',
  '2024-02-29T12:30:01Z',
  '1969-12-31T23:59:58Z',
  '2026-06-30T07:08:09Z',
])('%s is written as it was read, whichever day was written before', (text) => {
  expect(wireTime(Date.parse(text))).toBe(text)
  expect(wireTime(Date.parse(text) + 999)).toBe(text)
})

test('a time that is none is refused', () => {
  expect(() => wireTime(Number.NaN)).toThrow('Invalid time')
})
