import { expect, test } from 'vitest'
import { SortedList } from '../../../src/storage/store/order-index.ts'

test('keeps 100,000 entries sorted during insertions and deletions in mixed order', () => {
  const list = new SortedList()
  const entries = Array.from({ length: 100_000 }, (_, i) => ({
    number: (i * 7919) % 1009,
    key: (i * 31) % 100_003,
  }))
  for (const { number, key } of entries) list.add(number, key)
  const left = entries.filter(({ number, key }) => {
    const stays = key % 13 === 0
    if (!stays) list.remove(number, key)
    return stays
  })
  const sorted = left.toSorted((a, b) => a.number - b.number || a.key - b.key).map(({ key }) => key)
  expect(list.size).toBe(sorted.length)
  expect(list.keys(0, Infinity)).toEqual(sorted)
  expect(list.keys(2000, 50)).toEqual(sorted.slice(2000, 2050))
  expect(list.keys(2000, 50, true)).toEqual(sorted.toReversed().slice(2000, 2050))
})

test('ignores the deletion of missing entries', () => {
  const list = new SortedList()
  list.remove(1, 1)
  list.add(1, 'a')
  list.remove(1, 'b')
  list.remove(2, 'a')
  expect(list.size).toBe(1)
  expect(list.keys(0, 9)).toEqual(['a'])
})

test('rank counts and sums the entries before a position', () => {
  const list = new SortedList(true)
  const entries = Array.from({ length: 20_000 }, (_, i) => ({
    number: (i * 7919) % 1009,
    key: (i * 31) % 20_011,
  }))
  const amount = ({ key }: { key: number }) => key - 9_000
  for (const each of entries) list.add(each.number, each.key, amount(each))
  const left = entries.filter((each) => {
    const stays = each.key % 7 === 0
    if (!stays) list.remove(each.number, each.key)
    return stays
  })
  for (const [number, key] of [
    [-1, 0],
    [0, 0],
    [500, -Infinity],
    [500, 10_000],
    [1008, 20_010],
    [Infinity, 0],
  ] as const) {
    const before = left.filter((each) => each.number < number || (each.number === number && each.key < key))
    const sum = before.reduce((all, each) => all + amount(each), 0)
    expect(list.rank(number, key)).toEqual({ count: before.length, sum })
  }
})
