import { describe, expect, it } from 'vitest'
import { countries } from '../../../src/service/domain/countries/countries.ts'
import { makeReference, numbersOf, receiptForms, receiptOf } from '../../../src/service/domain/references.ts'
import { createRandom } from '../../../src/lib/random/random.ts'

const random = createRandom('sandbox\0demo')
const at = (text: string) => Date.parse(`${text}T12:00:00Z`)
const DRAWS = 1_000_000
const row = { country: 'KE', rail: 'momo', party: '254712345678', direction: 'payin' } as const

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
    expect(receiptOf(random, { ...row, id: 1 }, at(day))).toMatch(new RegExp(`^${stamp}[0-9A-Z]{7}$`))
  })

  it('is unique among a million of one day, as is a receipt', () => {
    const day = at('2026-06-13')
    const references = new Set<string>()
    const receipts = new Set<string>()
    for (let n = 1; n <= DRAWS; n++) {
      references.add(makeReference(random, n, day, 'payin'))
      receipts.add(receiptOf(random, { ...row, id: n }, day))
    }
    expect(references.size).toBe(DRAWS)
    expect(receipts.size).toBe(DRAWS)
  }, 60_000)

  it.each([
    ['KE', 'momo', 'M-Pesa', /^UFE[0-9A-Z]{7}$/],
    ['KE', 'momo', undefined, /^UFE[0-9A-Z]{7}$/],
    ['KE', 'momo', 'Airtel Money', /^MP260614\.0230\.[A-Z]\d{5}$/],
    ['TZ', 'momo', 'M-Pesa', /^UFE[0-9A-Z]{7}$/],
    ['TZ', 'momo', 'Mixx by Yas', /^\d{11}$/],
    ['TZ', 'momo', 'HaloPesa', /^\d{10}$/],
    ['ZM', 'momo', 'MTN MoMo', /^\d{11}$/],
    ['BW', 'momo', 'Orange Money', /^MP260614\.0130\.[A-Z]\d{5}$/],
    ['NG', 'momo', 'OPay', /^260614\d{12}$/],
    ['NG', 'bank', 'GTBank', /^000058260614003000\d{12}$/],
    ['GH', 'momo', 'MTN MoMo', /^\d{11}$/],
    ['KE', 'bank', 'Equity Bank', /^FT26165[0-9A-Z]{5}$/],
    ['GH', 'card', 'Visa', /^616423\d{6}$/],
  ] as const)(
    'receipt of %s by %s on %s has the form of the network and the day of the country',
    (country, rail, network, form) => {
      const late = Date.parse('2026-06-13T23:30:00Z')
      expect(receiptOf(random, { ...row, id: 1, rail, country, network }, late)).toMatch(form)
      expect(makeReference(random, 1, late, 'payin')).toMatch(/^UFD/)
    },
  )

  it.each(['M-Pesa', 'Airtel Money', 'T-Kash'])('receipts of %s have no constant distance', (network) => {
    const numbers = [1, 2, 3, 4, 5].map((id) =>
      Number.parseInt(receiptOf(random, { ...row, id, network }, at('2026-06-13')).slice(-5), 36),
    )
    expect(new Set(numbers.slice(1).map((number, n) => number - numbers[n]!)).size).toBe(4)
  })

  it('references have no constant distance', () => {
    const numbers = [1, 2, 3, 4, 5].map((n) =>
      Number(makeReference(random, n, at('2026-06-13'), 'payin').slice(3, 12)),
    )
    expect(new Set(numbers.slice(1).map((number, n) => number - numbers[n]!)).size).toBe(4)
  })

  it.each(['M-Pesa', 'MTN MoMo'])('receipts of %s grow from hour to hour', (network) => {
    const country = network === 'M-Pesa' ? 'KE' : 'ZM'
    const made = [0, 6, 12, 18].map((hours, id) =>
      receiptOf(
        random,
        { ...row, id, country, network },
        Date.parse('2026-06-13T01:00Z') + hours * 3_600_000,
      ),
    )
    expect(made).toEqual(made.toSorted())
  })

  it('receipts name their transactions, and those of no form name none', () => {
    for (const { code, market } of countries)
      for (const [rail, list] of Object.entries(market.networks))
        for (const { name } of list)
          for (const id of [1, 999, 123_456, 999_999]) {
            const made = receiptOf(
              random,
              { ...row, id, country: code, rail: rail as 'momo', network: name },
              at('2026-06-13'),
            )
            expect([made, numbersOf(random, made)]).toEqual([made, expect.arrayContaining([id])])
          }
    for (const text of ['', 'UFU51A2XO', 'UFU51A2XO22', 'ufu51a2xo2', 'FT2616AB12C', 'order-1'])
      for (const { pattern } of Object.values(receiptForms)) expect(pattern.test(text)).toBe(false)
  })
})
