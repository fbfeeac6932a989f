import { describe, expect, it } from 'vitest'
import { callbacks } from './fixtures/generated/callbacks.ts'
import { documentedBodies, routes } from './fixtures/generated/routes.ts'
import { Everything, Order, OrderLenient } from './fixtures/generated/schemas.ts'

const accepts = (value: object) => Everything().safeParse(value).success

describe('a property takes and refuses values', () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['text', ['ab', 'abcd'], ['a', 'abcde', 12, null]],
    ['pattern', ['a/b'], ['a/bc', 'ab']],
    [
      'date_time',
      ['2026-06-30T00:44:53Z', '2026-06-30T00:44:53.5+03:00'],
      ['2026-06-30', '2026-06-30T00:44:53'],
    ],
    ['date', ['2026-06-30'], ['2026-02-30', '30.06.2026']],
    [
      'uri',
      ['http://localhost:3000/a?b=c', 'https://shop.example'],
      ['ftp://shop.example', '/a', 'https://shop.example/too-long-for-30'],
    ],
    ['email', ['a@shop.example'], ['a', '']],
    ['uuid', ['5b7c2f0e-1d38-4f5e-8a55-3f1f6f0f7c21'], ['5b7c2f0e']],
    ['enum', ['a', 'b'], ['c', 1]],
    ['mixed_enum', ['a', 1, true, null], ['1', false]],
    ['const', ['only'], ['other']],
    ['integer', [1, 3], [0, 4, 1.5, '1']],
    ['number', [0.5], [0, 1, Infinity, NaN, '0.5']],
    ['boolean', [true, false], ['false', 0]],
    ['nothing', [null], [0, '']],
    ['nullable', ['a', null], [1]],
    ['several', ['a', 1, null], [1.5, true]],
    ['array', [[1], [1, 2]], [[], [1, 2, 3], ['1'], 1]],
    ['map', [{}, { a: 1 }], [{ a: 'b' }, [], { a: 1, b: 2, c: 3 }, { ['a'.repeat(10)]: 1 }]],
    ['open_map', [{}, { a: 1, b: 'c' }], [{ a: 1, b: 2, c: 3 }, { ['b'.repeat(10)]: 1 }]],
    ['endless', ['', 'x'.repeat(100_000)], [1]],
    ['free', [{}, { a: { b: [] } }], ['a']],
    ['open', [{ a: 'b', c: 1 }], [{ a: 1 }]],
    ['closed', [{ a: 'b' }], [{ a: 'b', c: 1 }]],
    ['rest', [{ a: 'b', c: 1 }], [{ a: 'b', c: 'd' }]],
    ['stripped', [{ a: 'b', c: 1 }], [{ a: 1 }]],
    ['one_of', ['a', 1], [3, null]],
    ['all_of', [1, 2], [3]],
    ['reference', [1, 2], [3]],
    ['anything', [1, 'a', null, []], []],
  ])('%s', (name, taken, refused) => {
    const wronglyRefused = taken.filter((value) => !accepts({ [name]: value }))
    const wronglyTaken = refused.filter((value) => accepts({ [name]: value }))
    expect({ wronglyRefused, wronglyTaken }).toEqual({ wronglyRefused: [], wronglyTaken: [] })
  })

  it('and every property is tried', () => {
    expect(accepts({})).toBe(true)
    expect(Object.keys(Everything().shape)).toHaveLength(29)
  })
})

it('an object drops the fields it does not know and keeps those it allows', () => {
  const sent = { a: 'b', c: 1 }
  expect(Everything().parse({ stripped: sent, open: sent, rest: sent, unknown: 1 })).toEqual({
    stripped: { a: 'b' },
    open: sent,
    rest: sent,
  })
})

it('a default is an annotation in a body', () => {
  expect(Everything().parse({})).toEqual({})
})

describe('the profile lenient', () => {
  const customer = { phone: '0712345678' }

  it('demands less, in what a schema refers to as well', () => {
    expect(Order().safeParse({ id: 1, customer }).success).toBe(false)
    expect(OrderLenient().safeParse({ id: 1, customer }).success).toBe(true)
    expect(OrderLenient().safeParse({ id: 1, customer: {} }).success).toBe(false)
  })

  it('is what the route takes; the stricter schema stands beside it', () => {
    expect(routes.createOrder.request.body.content['application/json'].schema).toBe(OrderLenient())
    expect(documentedBodies).toEqual({ createOrder: Order() })
  })
})

it('a schema is made once, when it is first asked for', () => {
  expect(Order()).toBe(Order())
  expect(routes.getOrder.request).toBe(routes.getOrder.request)
})

describe('parameters', () => {
  const { params, query, headers } = routes.getOrder.request

  it('of the path item are read with limits', () => {
    expect(params.parse({ order_id: '12' })).toEqual({ order_id: 12 })
    expect(params.safeParse({ order_id: '0' }).success).toBe(false)
  })

  it('of the query become numbers, booleans and defaults', () => {
    expect(query.parse({ state: 'open', ratio: '1.5', verbose: 'false', level: '2' })).toEqual({
      page: 1,
      state: 'open',
      ratio: 1.5,
      verbose: false,
      level: 2,
    })
    expect(query.parse({ state: 'paid', page: '7' })).toEqual({ page: 7, state: 'paid' })
  })

  it.each([{}, { state: 'shut' }, { state: 'open', ratio: '2' }, { state: 'open', level: '3' }])(
    'of the query are refused: %j',
    (sent) => {
      expect(query.safeParse(sent).success).toBe(false)
    },
  )

  it('of the header have lower-case names', () => {
    expect(headers.parse({ 'x-trace': 'ab' })).toEqual({ 'x-trace': 'ab' })
    expect(headers.safeParse({ 'x-trace': 'a' }).success).toBe(false)
  })
})

it('a callback body is checked by operation and name', () => {
  const { orderPaid } = callbacks.createOrder
  expect(orderPaid.safeParse({ paid: true }).success).toBe(true)
  expect(orderPaid.safeParse([{ paid: false }]).success).toBe(true)
  expect(orderPaid.safeParse({ paid: 'true' }).success).toBe(false)
})
