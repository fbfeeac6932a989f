import { describe, expect, it } from 'vitest'
import { formatDuration, LONGEST_DURATION, parseDuration } from '../../src/lib/text/duration.ts'

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['1500', 1500],
    ['500ms', 500],
    ['2s', 2000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['3d', 259_200_000],
    ['1.5s', 1500],
    ['1m30s', 90_000],
    ['1h2m3s4ms', 3_723_004],
  ])('parses %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    '',
    ' ',
    '2 s',
    ' 2s',
    '2s\n',
    '-1s',
    '+1s',
    '.5s',
    '1.s',
    '2S',
    '2sec',
    's',
    '1e3',
    '1s1s',
    '1s1m',
  ])('rejects %j', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError)
  })

  it.each(['9007199254740992', '9007199254740000', `${'9'.repeat(400)}d`, '36526d', '3155760000001'])(
    'rejects %s: more than 100 years',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/^"?\d+.* is longer than 36525d \(100 years\), the maximum$/)
    },
  )

  it('accepts 100 years', () => {
    expect(parseDuration('36525d')).toBe(LONGEST_DURATION)
  })

  it.each([undefined, null, true, [], {}, 1.5, -1, NaN, 1e21])('rejects %j, which is not a text', (value) => {
    expect(() => parseDuration(value)).toThrow(RangeError)
  })

  it.each([
    ['2s', '"2s" is longer than 1s, the maximum'],
    ['1', '"1" is shorter than 2ms, the minimum'],
  ])('rejects %s outside of its limits', (text, message) => {
    expect(() => parseDuration(text, { least: 2, most: 1_000 })).toThrow(message)
  })

  it('truncates the value in the message', () => {
    expect(() => parseDuration('x'.repeat(1_000_000))).toThrow(/^"x{79}… is not a duration/)
  })

  it('returns a message with the value and the accepted forms', () => {
    expect(() => parseDuration('soon')).toThrow(/^"soon" is not a duration such as 500ms, 2s, 1m30s/)
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0'],
    [1, '1ms'],
    [1500, '1500ms'],
    [2000, '2s'],
    [90_000, '90s'],
    [60_000, '1m'],
    [7_200_000, '2h'],
    [259_200_000, '3d'],
  ])('formats %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([-1, 1.5, NaN, Infinity])('rejects %d', (ms) => {
    expect(() => formatDuration(ms)).toThrow(RangeError)
  })
})
