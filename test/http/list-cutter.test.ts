import { describe, expect, it } from 'vitest'
import { createListCutter } from '../../src/lib/text/list-cutter.ts'
import { createRandom } from '../../src/lib/random/random.ts'

const MOST = { around: 1_000, item: 10_000 }

/** What comes of a text that arrives in pieces of such a length. */
function cut(text: string, length: number, most = MOST): { around: unknown; lists: object } {
  const lists: Record<string, unknown[]> = {}
  let last: unknown[] = []
  const told = {
    list: (name: string) => void (lists[name] = last = []),
    item: (value: unknown) => void last.push(value),
  }
  const cutter = createListCutter('rows', told, most)
  for (let from = 0; from < text.length; from += length) cutter.write(text.slice(from, from + length))
  return { around: cutter.end(), lists }
}

const whole = {
  format: 'x "rows": [',
  list: [[1], { rows: { no: [2] } }],
  rows: {
    a: [{ text: 'a, "b" ]}\\', deep: { list: [[], {}] } }, {}, { n: -1.5e3 }],
    none: [],
    'é"\\': ['text, with ]', null, true, 12, [1, [2]], { ü: '😀' }],
  },
  clock: { rows: { other: [1] } },
}

describe('a document in pieces', () => {
  it.each([
    [JSON.stringify(whole)],
    [JSON.stringify(whole, null, 2)],
    [`\t${JSON.stringify(whole, null, '\r\n')} `],
  ])('equals the document in one piece', (text) => {
    for (const length of [1, 2, 3, 7, 64, text.length]) {
      const { around, lists } = cut(text, length)
      expect(lists).toEqual(whole.rows)
      expect(around).toEqual({ ...whole, rows: { a: [0], none: [], 'é"\\': [0] } })
    }
  })

  it('keeps the last of two lists with one name, and other values in place', () => {
    const text = '{"rows":{"a":[1],"a":[2,3],"b":{"c":[4]},"d":5},"other":[6]}'
    expect(cut(text, 5)).toEqual({
      around: { rows: { a: [0], b: { c: [4] }, d: 5 }, other: [6] },
      lists: { a: [2, 3] },
    })
  })

  it.each([
    '{"rows":{"a":[1,]}}',
    '{"rows":{"a":[,1]}}',
    '{"rows":{"a":[1,,2]}}',
    '{"rows":{"a":[1 2]}}',
    '{"rows":{"a":[{}{}]}}',
    '{"rows":{"a":[{}"x"]}}',
    '{"rows":{"a":[}]}}',
    '{"rows":{"a":[tru]}}',
    '{"rows":{"a":[{"b":}]}}',
    '{"rows":{"a":[{"b":[}]}]}}',
    '{"rows":{"a":["x]}}',
    '{"rows":{"a":[1}}',
    '{"rows":{"a":[1]',
    '{"rows":{"a":[1]}',
    '{"rows":{"a":[1]}}}',
    '{"rows":{"a":[1] "b":[2]}}',
    '{"rows":{"a" [1]}}',
    '{"rows":{"\\x":[1]}}',
    '["rows":{"a":[1]}]',
    '{"rows":{"a":[',
    '{"rows"',
  ])('is rejected if it is not JSON: %s', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    for (const length of [1, 3, text.length]) expect(() => cut(text, length)).toThrow(SyntaxError)
  })

  it('agrees with the parser after changing any single character', () => {
    const random = createRandom('cutter')
    const text = JSON.stringify(whole)
    const characters = '{}[],:"\\ 1ax'
    for (let n = 0; n < 2_000; n++) {
      const at = Math.floor(random.fraction('at', n) * text.length)
      const changed =
        text.slice(0, at) +
        characters[Math.floor(random.fraction('to', n) * characters.length)] +
        text.slice(at + 1)
      const length = 1 + Math.floor(random.fraction('length', n) * 20)
      const parsed = outcome(() => JSON.parse(changed))
      const taken = outcome(() => {
        const { around, lists } = cut(changed, length)
        const rows = (around as { rows?: object }).rows
        return rows && !Array.isArray(rows) && typeof rows === 'object'
          ? { ...(around as object), rows: { ...rows, ...lists } }
          : around
      })
      expect(taken, changed).toEqual(parsed)
    }
  })

  it('is rejected if an item, or the rest of the document, is too long', () => {
    const most = { around: 30, item: 10 }
    expect(() => cut('{"rows":{"a":["0123456789"]}}', 4, most)).toThrow('an item of rows.a is over 10')
    expect(() => cut(`{"rows":{"a":[]},"b":"${'x'.repeat(30)}"}`, 4, most)).toThrow('around rows is over 30')
  })
})

function outcome(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON'
    throw error
  }
}
