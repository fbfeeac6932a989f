import { describe, expect, it } from 'vitest'
import { metricsIn } from '../../dashboard/core/metrics.ts'
import { changeOf, faultsIn, rebased, type Typed, typedOf } from '../../dashboard/core/world-fields.ts'
import { dayIn, instantOf, nextBankingDay, timeIn } from '../../dashboard/core/zones.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()
const begun = typedOf((await world().get('/sandbox/worlds/current')).body)
const typed = (texts: Partial<Typed['texts']>): Typed => ({ ...begun, texts: { ...begun.texts, ...texts } })

describe('the settings of a world', () => {
  it('sends only changed values, numbers as numbers', () => {
    expect(changeOf(begun, begun)).toEqual({})
    expect(changeOf(begun, { ...typed({ settle_after: '5s', retry_speed: '2' }), name: 'QA' })).toEqual({
      name: 'QA',
      settle_after: '5s',
      retry_speed: 2,
    })
    expect(changeOf(begun, typed({ retry_speed: 'fast' }))).toEqual({ retry_speed: 'fast' })
  })

  it('sends values in the form they are shown', async () => {
    const w = world()
    const { texts, tiers, costs } = begun
    const { status } = await w.patch('/sandbox/worlds/current', {
      ...texts,
      retry_speed: Number(texts.retry_speed),
      tiers,
      costs,
    })
    expect(status).toBe(200)
  })

  it('takes over changes by others except for fields being edited', () => {
    const mine = typed({ settle_after: '5s' })
    const theirs = typed({ settle_after: '9s', payer: 'manual' })
    expect(rebased(begun, mine, theirs).texts).toMatchObject({ settle_after: '5s', payer: 'manual' })
  })

  it('shows errors at their fields', () => {
    expect(
      faultsIn(
        'retry_speed must be at least 0.001, got -1; tiers[0].payouts_allowed is required; tiers[0].per_day is required',
      ),
    ).toEqual({
      retry_speed: 'retry_speed must be at least 0.001, got -1',
      tiers: 'tiers[0].payouts_allowed is required; tiers[0].per_day is required',
    })
    expect(faultsIn('settle_after "x" is not a duration such as 2s; or times drawn for each')).toEqual({
      settle_after: 'settle_after "x" is not a duration such as 2s; or times drawn for each',
    })
    expect(faultsIn('something else')).toEqual({ other: 'something else' })
  })
})

describe('a time', () => {
  it('is read in the chosen zone', () => {
    expect(instantOf('2030-06-03T09:00', 'Nairobi')?.toISOString()).toBe('2030-06-03T06:00:00.000Z')
    expect(instantOf('2030-06-03T09:00', 'UTC')?.toISOString()).toBe('2030-06-03T09:00:00.000Z')
    expect(instantOf('', 'UTC')).toBeUndefined()
    expect(instantOf('soon', 'here')).toBeUndefined()
  })

  it.each([
    ['2026-11-20T12:00:00Z', '2026-11-23T06:00:00.000Z'],
    ['2026-11-22T22:00:00Z', '2026-11-24T06:00:00.000Z'],
    ['2026-11-23T05:00:00Z', '2026-11-24T06:00:00.000Z'],
  ])('finds the banking day after %s at %s', (at, next) => {
    expect(new Date(nextBankingDay(Date.parse(at))).toISOString()).toBe(next)
  })

  it('is formatted with its day', () => {
    const at = Date.parse('2026-11-22T22:00:00Z')
    expect(timeIn(at, 'Nairobi')).toBe('Mon 23 Nov 2026 01:00:00')
    expect(dayIn(at, 'UTC')).toBe('Sun 22 Nov')
  })
})

it('sums metrics over their labels', () => {
  const text = [
    '# HELP sandbox_requests_total Requests.',
    'sandbox_requests_total{operation="a",status="200"} 3',
    'sandbox_requests_total{operation="b",status="400"} 4',
    'sandbox_worlds_bytes{item="rows"} 1e3',
  ].join('\n')
  expect(metricsIn(text)).toEqual({ requests: 7, callbacks: 0, underWay: 0, bytes: 1_000 })
})
