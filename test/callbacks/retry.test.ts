import { describe, expect, it } from 'vitest'
import { nextDelay, parseRetryAfter, planRetry, RETRY_PROFILES } from '../../src/callbacks/retry.ts'
import type { RetryProfile } from '../../src/service/vocabulary/terms.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-06-30T00:44:53Z')

function gaps(profile: RetryProfile, pace = {}): number[] {
  const all: number[] = []
  for (let failed = 1; failed <= 100; failed += 1) {
    const delay = nextDelay(profile, failed, pace)
    if (delay === null) return all
    all.push(delay)
  }
  throw new Error(`${profile} does not end`)
}

const sum = (all: readonly number[]) => all.reduce((total, gap) => total + gap, 0)

describe('the delays of a profile', () => {
  it.each<[RetryProfile, string]>([
    ['sandbox', '1s 5s 30s 2m 10m'],
    ['svix', '5s 5m 30m 2h 5h 10h 10h'],
    ['standard', '5s 5m 30m 2h 5h 10h 14h 20h 24h'],
    ['adyen', '9s 18s 27s 2m 5m 10m 15m 30m 1h 2h 4h 8h'],
    ['none', ''],
  ])('%s', (profile, text) => {
    const unit: Record<string, number> = { s: 1000, m: 60_000, h: HOUR }
    const expected = text.split(' ').filter(Boolean)
    expect(gaps(profile)).toEqual(
      expected.map((each) => Number.parseInt(each, 10) * (unit[each.at(-1) ?? ''] ?? 0)),
    )
  })

  it('paystack: four times 3 minutes, then hourly within 72 hours', () => {
    const all = gaps('paystack')
    expect(all.slice(0, 5)).toEqual([180_000, 180_000, 180_000, 180_000, HOUR])
    expect(new Set(all.slice(4))).toEqual(new Set([HOUR]))
    expect(sum(all)).toBeLessThanOrEqual(72 * HOUR)
    expect(sum(all) + HOUR).toBeGreaterThan(72 * HOUR)
  })
})

describe('pace', () => {
  it('divides every delay: at 3600, 72 hours pass in 72 seconds', () => {
    const all = gaps('paystack', { speed: 3600 })
    expect(all[4]).toBe(1000)
    expect(sum(all)).toBeLessThanOrEqual(72_000)
  })

  it.each([
    [-1, 8100],
    [0, 9000],
    [0.5, 9450],
    [1, 9900],
  ])('jitter %d changes a delay by at most a tenth', (jitter, expected) => {
    expect(nextDelay('adyen', 1, { jitter })).toBe(expected)
  })

  it.each([{ speed: 0 }, { speed: -1 }, { speed: Number.NaN }, { jitter: 1.01 }, { jitter: Number.NaN }])(
    'refuses %j',
    (pace) => {
      expect(() => nextDelay('sandbox', 1, pace)).toThrow(RangeError)
    },
  )
})

describe('the response', () => {
  it.each(Object.keys(RETRY_PROFILES) as RetryProfile[])('410 ends %s', (profile) => {
    expect(planRetry(profile, 1, { status: 410, nowMs: NOW })).toBeNull()
  })

  it.each([
    ['429 with seconds', 429, '7', 7000],
    ['503 with a date', 503, 'Tue, 30 Jun 2026 00:45:00 GMT', 7000],
    ['503 that asks for less than the plan', 503, '0', 1000],
    ['503 with words', 503, 'soon', 1000],
    ['503 without the header', 503, undefined, 1000],
    ['500: the header means nothing', 500, '7', 1000],
    ['no answer', null, undefined, 1000],
  ])('%s', (_, status, retryAfter, expected) => {
    expect(planRetry('sandbox', 1, { status, retryAfter, nowMs: NOW })).toBe(expected)
  })

  it('Retry-After does not add an attempt after the last one', () => {
    expect(planRetry('sandbox', 6, { status: 503, retryAfter: '7', nowMs: NOW })).toBeNull()
    expect(planRetry('none', 1, { status: 503, retryAfter: '7', nowMs: NOW })).toBeNull()
  })

  it('the speed divides Retry-After', () => {
    expect(planRetry('sandbox', 1, { status: 503, retryAfter: '60', nowMs: NOW }, { speed: 10 })).toBe(6000)
  })
})

describe('Retry-After', () => {
  it.each([
    [' 120 ', 120_000],
    ['0', 0],
    ['999999999999', 24 * HOUR],
    ['Tue, 30 Jun 2026 00:44:52 GMT', 0],
    ['Wed, 30 Jun 2027 00:44:53 GMT', 24 * HOUR],
    ['Tue, 30 Jun 2026 01:44:53 GMT', HOUR],
  ])('%s is %d ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected)
  })

  it.each(['', '-1', '1.5', '1e3', '2026-06-30', 'Tue, 99 Jun 2026 01:44:53 GMT', undefined])(
    '%s is nothing',
    (value) => {
      expect(parseRetryAfter(value, NOW)).toBeNull()
    },
  )
})
