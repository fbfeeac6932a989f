import { describe, expect, it } from 'vitest'
import { costOf, defaultCosts, requireCovers } from '../../../src/service/domain/costs.ts'
import { toMajor, toMinor } from '../../../src/service/domain/money.ts'

describe('what a transaction costs', () => {
  const cost = (amount: number, currency = 'KES') =>
    toMajor(costOf(defaultCosts, toMinor(amount, currency), currency), currency)

  it.each([
    [1, 1],
    [49, 1],
    [49.01, 4.62],
    [499, 4.62],
    [499.01, 8],
    [999, 8],
    [1000, 15],
    [4999, 15],
    [4999.01, 25],
    [9999, 25],
    [9999.01, 40],
    [1_000_000, 40],
  ])('KES %d cost %d', (amount, expected) => {
    expect(cost(amount)).toBe(expected)
  })

  it.each([
    ['TZS', 49 * 19, 20],
    ['TZS', 49 * 19 + 1, 90],
    ['ZMW', 8, 0.2],
    ['ZMW', 9, 0.85],
    ['UGX', 49 * 28, 30],
    ['UGX', 49 * 28 + 1, 130],
    ['RWF', 1_000_000, 440],
    ['GHS', 1, 0.1],
  ])('converts bands and costs to whole coins: %s %d cost %d', (currency, amount, expected) => {
    expect(cost(amount, currency)).toBe(expected)
  })

  it('rejects an amount that does not exceed its cost', () => {
    const text = 'the transaction amount is insufficient as it wont cater for cost: (4.62)'
    expect(() => requireCovers(462, 462, 'KES')).toThrow(text)
    expect(() => requireCovers(463, 462, 'KES')).not.toThrow()
    expect(() => requireCovers(28, 28, 'UGX')).toThrow('cost: (28)')
  })

  it('a table without a last band charges its highest', () => {
    expect(costOf([{ up_to: 10, cost: 2 }], 99_999, 'KES')).toBe(200)
    expect(costOf([], 99_999, 'KES')).toBe(0)
  })
})
