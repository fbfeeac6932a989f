import { describe, expect, it } from 'vitest'
import { metricsIn } from '../../dashboard/core/metrics.ts'
import {
  bodyOf,
  defaultIn,
  faultsIn,
  type FormSchema,
  rebased,
  type TypedObject,
  typedOf,
} from '../../dashboard/core/form.ts'
import { dayIn, instantOf, nextBankingDay, timeIn } from '../../dashboard/core/times.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()

const text = { kind: 'text' } as const
const schema: FormSchema = {
  kind: 'object',
  fields: {
    name: text,
    settle_after: text,
    retry_speed: { kind: 'number' },
    on: { kind: 'boolean' },
    delay: { kind: 'object', nullable: true, fields: { type: text, milliseconds: { kind: 'number' } } },
    chaos: { kind: 'object', nullable: true, fields: { probability: { kind: 'number' } } },
    costs: {
      kind: 'rows',
      fields: { up_to: { kind: 'number', nullable: true, required: true }, cost: { kind: 'number' } },
    },
    reasons: { kind: 'list' },
    role: { kind: 'text', required: true, values: ['payin', 'payout'] },
  },
}
const value = {
  name: 'QA',
  settle_after: '2s',
  retry_speed: 1,
  on: true,
  delay: { type: 'fixed', milliseconds: 5 },
  chaos: { probability: 0.1 },
  costs: [
    { up_to: 100, cost: 1 },
    { up_to: null, cost: 2.5 },
  ],
  reasons: ['blurred', 'expired'],
  role: 'payout',
}
const begun = typedOf(schema, value) as TypedObject

describe('a form', () => {
  it('sends the values that it shows', () => {
    expect(bodyOf(schema, begun)).toEqual(value)
  })

  it('omits empty fields, and chooses the first of required values', () => {
    expect(bodyOf(schema, typedOf(schema, undefined) as TypedObject)).toEqual({ costs: [], role: 'payin' })
  })

  it('sends only changed values, numbers as numbers and invalid ones as typed', () => {
    expect(bodyOf(schema, begun, begun)).toEqual({})
    const typed = { ...begun, name: '', retry_speed: '2' }
    expect(bodyOf(schema, typed, begun)).toEqual({ name: '', retry_speed: 2 })
    expect(bodyOf(schema, { ...begun, retry_speed: 'fast' }, begun)).toEqual({ retry_speed: 'fast' })
  })

  it('sends null for a nullable value that was removed', () => {
    const typed = { ...begun, delay: { type: '', milliseconds: '' }, chaos: { probability: '' } }
    expect(bodyOf(schema, typed, begun)).toEqual({ delay: null, chaos: null })
  })

  it('sends settings of a world in the form they are shown', async () => {
    const w = world()
    const { settings } = (await w.get('/sandbox/worlds/current')).body as { settings: object }
    const fields = Object.fromEntries(
      Object.entries(settings)
        .filter(([, each]) => typeof each !== 'object')
        .map(([name, each]) => [name, { kind: typeof each === 'number' ? 'number' : 'text' }]),
    ) as NonNullable<FormSchema['fields']>
    const of: FormSchema = { kind: 'object', fields }
    const { status } = await w.patch(
      '/sandbox/worlds/current',
      bodyOf(of, typedOf(of, settings) as TypedObject),
    )
    expect(status).toBe(200)
  })

  it('takes over changes by others except for fields being edited', () => {
    const mine = { ...begun, settle_after: '5s' }
    const theirs = { ...begun, settle_after: '9s', name: 'theirs' }
    expect(rebased(begun, mine, theirs)).toMatchObject({ settle_after: '5s', name: 'theirs' })
  })

  it('shows errors at their fields', () => {
    const names = ['retry_speed', 'tiers', 'settle_after']
    expect(
      faultsIn(
        'retry_speed must be at least 0.001, got -1; tiers[0].payouts_allowed is required; tiers[0].per_day is required',
        names,
      ),
    ).toEqual({
      retry_speed: 'retry_speed must be at least 0.001, got -1',
      tiers: 'tiers[0].payouts_allowed is required; tiers[0].per_day is required',
    })
    expect(faultsIn('settle_after "x" is not a duration such as 2s; or times drawn for each', names)).toEqual(
      {
        settle_after: 'settle_after "x" is not a duration such as 2s; or times drawn for each',
      },
    )
    expect(faultsIn('something else', names)).toEqual({ '': 'something else' })
  })

  it('names what an omitted field means', () => {
    expect(defaultIn('The shape of the body; by default that of the world.')).toBe(
      'by default that of the world',
    )
    expect(defaultIn('The rail; `momo` by default.')).toBe('by default momo')
    expect(defaultIn('A name.')).toBe('not set')
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
  expect(metricsIn(text)).toEqual({ requests: 7, callbacks: 0, bytes: 1_000 })
})
