import { expect, test } from 'vitest'
import { SortedList } from '../../src/store/sorted-list.ts'

test('100,000 entries added and taken out in mixed order stay sorted from both ends', () => {
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

test('taking out what is not there changes nothing', () => {
  const list = new SortedList()
  list.remove(1, 1)
  list.add(1, 'a')
  list.remove(1, 'b')
  list.remove(2, 'a')
  expect(list.size).toBe(1)
  expect(list.keys(0, 9)).toEqual(['a'])
})
