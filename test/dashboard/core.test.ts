import { readAddress, writeAddress } from '../../dashboard/core/address.ts'
import { curlBy, quoted } from '../../dashboard/core/curl.ts'
import { digitsOf, withAccountNames } from '../../dashboard/core/names.ts'
import { lanesOf } from '../../dashboard/core/lanes.ts'
import { merged } from '../../dashboard/core/merged.ts'
import { countdown, lasting } from '../../dashboard/core/times.ts'
import { describe, expect, it } from 'vitest'

describe('an address', () => {
  it.each([
    ['', { world: undefined, page: 'home', thing: undefined, query: {} }],
    ['#/demo', { world: 'demo', page: 'home', thing: undefined, query: {} }],
    [
      '#/demo+a/tx/order%2F7?tab=x%26y',
      { world: 'demo+a', page: 'tx', thing: 'order/7', query: { tab: 'x&y' } },
    ],
    ['#/demo/tx/a/b', { world: 'demo', page: 'tx', thing: 'a/b', query: {} }],
    ['#/%E0%A4%A/tx', { world: '%E0%A4%A', page: 'tx', thing: undefined, query: {} }],
  ])('reads %s', (hash, route) => {
    expect(readAddress(hash)).toEqual(route)
  })

  it.each(['order-7', 'a/b?c#d', '<b>&"', '\u202Eabc', '100 %'])('writes the same address as %s', (thing) => {
    const route = { world: 'demo+a', page: 'tx', thing, query: { q: thing } }
    expect(readAddress(writeAddress(route))).toEqual(route)
  })
})

describe('a list', () => {
  const ids = (items: readonly { id: number }[]) => items.map(({ id }) => id)
  const order = ({ id }: { id: number }) => id

  it('adds new items at the top and replaces changed ones in place', () => {
    const kept = [{ id: 3 }, { id: 2 }, { id: 1 }]
    const fresh = [{ id: 5 }, { id: 2, changed: true }]
    const all = merged(kept, fresh, order)
    expect(ids(all)).toEqual([5, 3, 2, 1])
    expect(all[2]).toEqual({ id: 2, changed: true })
    expect(all[1]).toBe(kept[0])
  })

  it('is sorted regardless of the order of arrival', () => {
    expect(ids(merged([{ id: 9 }, { id: 4 }], [{ id: 1 }, { id: 7 }], order))).toEqual([9, 7, 4, 1])
  })
})

describe('the lanes of a transaction', () => {
  const event = (seconds: number, kind: string, summary: string, callback: number | null = null) => ({
    at: new Date(seconds * 1_000).toISOString(),
    kind: kind as 'state',
    summary,
    callback,
    request: null,
  })
  const { moments, lanes } = lanesOf([
    event(0, 'request', 'createCollection: 201'),
    event(0.01, 'state', 'QUEUED'),
    event(2, 'posting', 'collection: outside:KES -100.00, team:63:wallet:KES 95.38, fees:KES 4.62'),
    event(2, 'state', 'SUCCESS'),
    event(2, 'callback', 'callback 1 for http://127.0.0.1:9/hook, flat', 1),
    event(2.01, 'attempt', 'connection refused: nothing listens at 127.0.0.1:9', 1),
    event(7.01, 'attempt', 'answered 200', 1),
  ])
  const marksOf = (lane: string) =>
    lanes.find(({ name }) => name === lane)?.marks.map(({ tone, text, from }) => `${from} ${text} ${tone}`)

  it('have one column per moment', () => {
    expect(moments).toEqual([0, 2_000, 7_010])
  })

  it.each([
    ['Your app', ['0 createCollection: 201 good', '1 no response bad', '2 200 good']],
    ['Service', ['0 QUEUED wait', '1 SUCCESS good']],
    ['Ledger', ['1 +95.38 info']],
    ['Callback 1', ['1 created plain', '1 attempt 1 bad', '1 waits 5 s wait', '2 attempt 2 good']],
  ])('%s', (lane, marks) => {
    expect(marksOf(lane)).toEqual(marks)
  })

  it('are empty without events', () => {
    expect(lanesOf([])).toEqual({ moments: [], lanes: [] })
  })
})

it('quotes a curl command for a shell', () => {
  expect(quoted("it's")).toBe(`'it'\\''s'`)
  expect(curlBy('http://x/p', 'demo:demo', { reference: "it's" })).toContain(`it'\\''s`)
  expect(curlBy('http://x/p', 'a b:$(c)', {})).toContain(`-u 'a b:$(c)'`)
  expect(curlBy('http://x/p', 'demo', {}, { prefer: 'scenario=x' })).toContain(`-H 'prefer: scenario=x'`)
})

it.each([
  [0, '0 ms'],
  [850, '850 ms'],
  [8_200, '8.2 s'],
  [42_000, '42 s'],
  [185_000, '3 min 5 s'],
  [7_200_000, '2 h'],
  [273_600_000, '3 d 4 h'],
])('formats %i ms as %s', (ms, words) => {
  expect(lasting(ms)).toBe(words)
})

describe('a countdown', () => {
  it.each([
    [-5, '0:00'],
    [1, '0:01'],
    [59_001, '1:00'],
    [545_000, '9:05'],
    [3_600_000, '1:00:00'],
  ])('shows %i ms as %s', (ms, words) => {
    expect(countdown(ms)).toBe(words)
  })
})

describe('a phone', () => {
  it.each([
    ['0712 345 678', '254712345678'],
    ['+254 712-345-678', '254712345678'],
    ['256771234567', '256771234567'],
    ['12', '12'],
  ])('formats %s as %s', (typed, digits) => {
    expect(digitsOf(typed)).toBe(digits)
  })
})

describe('accounts of the ledger', () => {
  it.each([
    [
      'collection: outside:KES -3600.00, team:63:wallet:KES 3433.68, fees:KES 166.32',
      'collection: Payers and recipients −3,600.00, Team 63, wallet 3,433.68, Service fees 166.32',
    ],
    ['nothing of it: 12.00', 'nothing of it: 12.00'],
  ])('%s', (summary, words) => {
    expect(withAccountNames(summary)).toBe(words)
  })
})
