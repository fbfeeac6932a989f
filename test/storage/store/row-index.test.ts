import { expect, test } from 'vitest'
import { createRandom } from '../../../src/lib/random/random.ts'
import { RowIndex } from '../../../src/storage/store/slots.ts'
import { TableRows } from '../../../src/storage/store/table-rows.ts'
import { type Key, tables } from '../../../src/storage/store/tables.ts'
import { idsOf, transaction } from './rows.ts'

test('finds a number far ahead of the others, even after they have caught up', () => {
  const slots = new RowIndex()
  slots.set(1, 0)
  slots.set(5_000, 1)
  for (let key = 2; key <= 6_000; key += 1) if (key !== 5_000) slots.set(key, key)
  expect(slots.get(5_000)).toBe(1)
  expect(slots.size).toBe(6_000)
  slots.delete(5_000)
  expect(slots.get(5_000)).toBeUndefined()
  expect(slots.size).toBe(5_999)
})

test('distinguishes lower numbers, fractions, texts of digits and missing keys', () => {
  const slots = new RowIndex()
  for (const [key, slot] of [
    [10, 0],
    [3, 1],
    [10.5, 2],
    ['10', 3],
    [-1, 4],
  ] as const)
    slots.set(key, slot)
  expect([10, 3, 10.5, '10', -1, 4, 11, '3'].map((key) => slots.get(key))).toEqual([
    0,
    1,
    2,
    3,
    4,
    undefined,
    undefined,
    undefined,
  ])
})

test('finds numbers that are added at one end and deleted at the other, with a few that stay', () => {
  const slots = new RowIndex()
  const stay = (key: number) => key % 1_000 === 0
  for (let key = 0; key < 50_000; key += 1) {
    slots.set(key, key)
    if (key >= 2_000 && !stay(key - 2_000)) slots.delete(key - 2_000)
  }
  const keys = Array.from({ length: 50_000 }, (_, key) => key)
  expect(keys.filter((key) => slots.get(key) === key)).toEqual(
    keys.filter((key) => key >= 48_000 || stay(key)),
  )
  expect(slots.size).toBe(2_000 + 48)
})

test('behaves like a Map', () => {
  const random = createRandom('slots')
  const slots = new RowIndex()
  const map = new Map<Key, number>()
  const keyOf = (n: number): Key => {
    const number = Math.floor(random.fraction('key', n) * 4_000)
    return random.fraction('kind', n) < 0.1 ? `k${number}` : number
  }
  const wrong: number[] = []
  for (let n = 0; n < 20_000; n += 1) {
    const key = keyOf(n)
    if (random.fraction('delete', n) < 0.4) {
      slots.delete(key)
      map.delete(key)
    } else {
      slots.set(key, n)
      map.set(key, n)
    }
    if (slots.size !== map.size) wrong.push(n)
  }
  expect(wrong).toEqual([])
  const keys = Array.from({ length: 20_000 }, (_, n) => keyOf(n))
  expect(keys.filter((key) => slots.get(key) !== map.get(key))).toEqual([])
  for (const key of map.keys()) slots.delete(key)
  expect([slots.size, slots.get(1)]).toEqual([0, undefined])
  slots.set(1_000_000, 7)
  expect(slots.get(1_000_000)).toBe(7)
})

test('rows are renumbered when slots run out, and found as before', () => {
  const rows = new TableRows(tables.transactions, 0, { bytes: 0 }, 5_000)
  const far = 5_000
  const same = { external_reference: 'same' }
  for (let n = 0; n < 5; n += 1) rows.set(far + 3 * n, transaction(n + 1, same))
  const { revision } = rows
  rows.tidy()
  expect(rows.nextSlot).toBe(5)
  expect(rows.revision).toBeGreaterThan(revision)
  expect(idsOf(rows.find('identifier', 'same'))).toEqual([1, 2, 3, 4, 5])
  expect(idsOf(rows.find('identifier', 'c3'))).toEqual([3])
  expect(rows.get(4)).toEqual(transaction(4, same))
  rows.set(0, undefined)
  expect(idsOf(rows.find('identifier', 'same'))).toEqual([2, 3, 4, 5])
})
