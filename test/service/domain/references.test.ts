import { describe, expect, it } from 'vitest'
import {
  makeReceipt,
  makeReference,
  numberOfReceipt,
  receiptOf,
} from '../../../src/service/domain/context.ts'
import { createRandom } from '../../../src/lib/random/random.ts'

const random = createRandom('sandbox\0demo')
const at = (text: string) => Date.parse(`${text}T12:00:00Z`)
const DRAWS = 1_000_000

describe('a reference', () => {
  it.each([
    ['2024-01-01', 'SA1'],
    ['2025-12-31', 'TLV'],
    ['2026-06-09', 'UF9'],
    ['2026-06-10', 'UFA'],
    ['2026-06-30', 'UFU'],
    ['2031-02-28', 'ZBS'],
    ['2032-02-28', 'ABS'],
  ])('of %s begins with %s', (day, stamp) => {
    expect(makeReference(random, 1, at(day), 'payin')).toMatch(new RegExp(`^${stamp}\\d{9}\\.iI$`))
    expect(makeReference(random, 1, at(day), 'payout')).toMatch(new RegExp(`^${stamp}\\d{9}\\.eO$`))
    expect(makeReceipt(random, 1, at(day))).toMatch(new RegExp(`^${stamp}[0-9A-Z]{7}$`))
  })

  it('is unique among a million of one day, as is a receipt', () => {
    const day = at('2026-06-13')
    const references = new Set<string>()
    const receipts = new Set<string>()
    for (let n = 1; n <= DRAWS; n++) {
      references.add(makeReference(random, n, day, 'payin'))
      receipts.add(makeReceipt(random, n, day))
    }
    expect(references.size).toBe(DRAWS)
    expect(receipts.size).toBe(DRAWS)
  }, 60_000)

  it.each(['momo', 'bank', 'card'] as const)('receipts of %s are those of their transactions', (rail) => {
    for (const id of [1, 2, 999, 123_456, 59_999_999]) {
      const receipt = receiptOf(random, { id, rail, country: 'KE' }, at('2026-06-13'))
      expect(numberOfReceipt(random, receipt)).toBe(id)
    }
  })

  it.each(['', 'UFU51A2XO', 'UFU51A2XO22', 'ufu51a2xo2', 'FT2616AB12C', 'order-1'])(
    'rejects the receipt %j',
    (text) => {
      expect(numberOfReceipt(random, text)).toBeUndefined()
    },
  )

  it.each([
    ['KE', 'momo', /^UFE[0-9A-Z]{7}$/],
    ['NG', 'momo', /^UFE[0-9A-Z]{7}$/],
    ['GH', 'momo', /^UFD[0-9A-Z]{7}$/],
    ['KE', 'bank', /^FT26165[0-9A-Z]{5}$/],
    ['GH', 'card', /^FT26164[0-9A-Z]{5}$/],
  ] as const)('receipt of %s by %s has the day of the country', (country, rail, form) => {
    const late = Date.parse('2026-06-13T23:30:00Z')
    expect(receiptOf(random, { id: 1, rail, country }, late)).toMatch(form)
    expect(makeReference(random, 1, late, 'payin')).toMatch(/^UFD/)
  })
})
