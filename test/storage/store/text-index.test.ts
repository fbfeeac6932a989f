import { expect, test } from 'vitest'
import { createRandom } from '../../../src/lib/random/random.ts'
import { HashTable } from '../../../src/storage/store/slots.ts'
import { SlotList, keyedHash, type TextHash, TextIndex } from '../../../src/storage/store/lookup-index.ts'

const hashes: readonly (readonly [string, TextHash])[] = [
  ['of its own', keyedHash(1, 2)],
  ['under which all fall together', () => 7],
  ['that knows three values', (text) => (text.length % 3) - 1],
]

/** The naive index: the texts of each row, searched completely. */
class Model {
  readonly rows = new Map<number, readonly string[]>()

  slots(text: string): number[] {
    const slots: number[] = []
    for (const [slot, texts] of this.rows) if (texts.includes(text)) slots.push(slot)
    return slots.sort((a, b) => a - b)
  }
}

const texts = Array.from({ length: 30 }, (_, k) => [`t${k}`, `tx${k}`, `txx${k}`]).flat()

const found = (index: TextIndex, text: string) => {
  const held = index.get(text)
  if (held === undefined) return []
  return held instanceof SlotList ? held.slice(0, Infinity) : [held]
}

test.each(hashes)('with a hash %s it returns the same as a full scan', (_, hash) => {
  const random = createRandom('text-index')
  let drawn = 0
  const below = (limit: number) => Math.floor(random.fraction('draw', drawn++) * limit)
  const model = new Model()
  const index = new TextIndex((slot, text) => model.rows.get(slot)?.includes(text) ?? false, hash)
  const textsOf = () => [
    ...new Set(Array.from({ length: below(4) }, () => `t${'x'.repeat(below(3))}${below(30)}`)),
  ]
  const write = (slot: number, after: readonly string[]) => {
    const before = model.rows.get(slot) ?? []
    if (after.length === 0) model.rows.delete(slot)
    else model.rows.set(slot, after)
    for (const text of before) if (!after.includes(text)) index.delete(text, slot)
    for (const text of after) if (!before.includes(text)) index.add(text, slot)
  }
  for (let n = 0; n < 4_000; n += 1) {
    write(below(80), textsOf())
    if (n % 10 > 0) continue
    expect(texts.map((text) => found(index, text))).toEqual(texts.map((text) => model.slots(text)))
  }
})

test('finds a hundred thousand numbers in a hash table, even after most were deleted', () => {
  const hash = keyedHash(3, 4)
  const table = new HashTable()
  const numbers = Array.from({ length: 100_000 }, (_, n) => n + 1)
  const found = () =>
    numbers.filter((number) => table.find(hash(`order-${number}`), (each) => each === number) !== 0)
  for (const number of numbers) table.add(hash(`order-${number}`), number)
  expect(found().length).toBe(numbers.length)
  const stay = numbers.filter((number) => number % 100 === 0)
  for (const number of numbers) if (number % 100 > 0) table.delete(hash(`order-${number}`), number)
  expect(found()).toEqual(stay)
})

test('a hash depends on every unit of a text, on its length and on its key', () => {
  const hash = keyedHash(5, 6)
  const texts = ['', '\0', '\0\0', 'a', 'a\0', 'ab', 'ba', 'abc', 'abd', 'é', '😀', '\ud83d']
  expect(new Set(texts.map(hash)).size).toBe(texts.length)
  expect(hash('abc')).toBe(keyedHash(5, 6)('abc'))
  expect(hash('abc')).not.toBe(keyedHash(5, 7)('abc'))
  const last = Array.from({ length: 4_096 }, (_, n) => hash(`order-${n}`) & 15)
  const counts = Array.from({ length: 16 }, (_, bits) => last.filter((each) => each === bits).length)
  expect(Math.min(...counts)).toBeGreaterThan(180)
  expect(Math.max(...counts)).toBeLessThan(340)
})
