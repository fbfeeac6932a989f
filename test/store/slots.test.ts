import { expect, test } from 'vitest'
import { createRandom } from '../../src/random.ts'
import { Slots } from '../../src/store/slots.ts'
import type { Key } from '../../src/store/tables.ts'

test('a number far ahead of the others is found, also once they have come up to it', () => {
  const slots = new Slots()
  slots.set(1, 0)
  slots.set(5_000, 1)
  for (let key = 2; key <= 6_000; key += 1) if (key !== 5_000) slots.set(key, key)
  expect(slots.get(5_000)).toBe(1)
  expect(slots.size).toBe(6_000)
  slots.delete(5_000)
  expect(slots.get(5_000)).toBeUndefined()
  expect(slots.size).toBe(5_999)
})

test('a number below the first one, a fraction, a text of digits and one that was never there are told apart', () => {
  const slots = new Slots()
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

test('it is hollow when most of a long sequence is gone, and not when numbers only lie far apart', () => {
  const slots = new Slots()
  for (let key = 0; key < 4_000; key += 1) slots.set(key, key)
  for (let key = 0; key < 2_999; key += 1) slots.delete(key)
  expect(slots.hollow).toBe(false)
  for (let key = 2_999; key < 3_001; key += 1) slots.delete(key)
  expect(slots.hollow).toBe(true)
  const apart = new Slots()
  for (let key = 0; key < 1_000_000; key += 1_000) apart.set(key, key)
  expect(apart.hollow).toBe(false)
  expect(apart.get(999_000)).toBe(999_000)
})

test('whatever is set and deleted, it answers as a map does', () => {
  const random = createRandom('slots')
  const slots = new Slots()
  const map = new Map<Key, number>()
  const keyOf = (n: number): Key => {
    const number = Math.floor(random.fraction('key', n) * 4_000)
    return random.fraction('kind', n) < 0.1 ? `k${number}` : number
  }
  for (let n = 0; n < 20_000; n += 1) {
    const key = keyOf(n)
    if (random.fraction('delete', n) < 0.4) {
      slots.delete(key)
      map.delete(key)
    } else {
      slots.set(key, n)
      map.set(key, n)
    }
    expect(slots.size).toBe(map.size)
  }
  for (let n = 0; n < 20_000; n += 1) expect(slots.get(keyOf(n))).toBe(map.get(keyOf(n)))
  slots.clear()
  expect([slots.size, slots.get(1)]).toEqual([0, undefined])
})
