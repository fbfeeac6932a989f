import { describe, expect, it } from 'vitest'
import { formatSettleAfter, parseSettleAfter } from '../../../src/service/vocabulary/settle-after.ts'

describe('parseSettleAfter', () => {
  it.each([
    ['2s', 2_000],
    ['0', 0],
    [1500, 1_500],
    ['8s~lognormal', { kind: 'lognormal', median: 8_000 }],
    ['2s..10s', { kind: 'uniform', least: 2_000, most: 10_000 }],
    ['0..1m30s', { kind: 'uniform', least: 0, most: 90_000 }],
    ['realistic', { kind: 'realistic' }],
  ])('reads %s', (text, value) => expect(parseSettleAfter(text)).toEqual(value))

  it.each(['2s', '8s~lognormal', '2s..10s', 'realistic', '0'])('formats %s as it was parsed', (text) =>
    expect(formatSettleAfter(parseSettleAfter(text))).toBe(text),
  )

  it.each([
    ['soon', /^"soon" is not a duration .*; or times drawn .* 8s~lognormal/],
    ['realistc', /did you mean realistic\?$/],
    ['8s~normal', /^"8s~normal" must end in ~lognormal/],
    ['8s~', /must end in ~lognormal/],
    ['8s~lognormal~lognormal', /must end in ~lognormal/],
    ['~lognormal', /^"~lognormal" has a part that is no duration/],
    ['0~lognormal', /must have a median longer than 0/],
    ['10s..2s', /^"10s..2s" must go from the shorter to the longer/],
    ['2s..2s', /must go from the shorter to the longer/],
    ['2s..', /has a part that is no duration/],
    ['2s..3s..4s', /is not a duration/],
    ['200000d..1s', /is longer than/],
    ['', /is not a duration/],
    [-1, /is not a duration/],
    [Number.NaN, /is not a duration/],
    [null, /is not a duration/],
    [{ kind: 'realistic' }, /is not a duration/],
  ])('rejects %s', (text, message) => expect(() => parseSettleAfter(text)).toThrow(message))
})
