import { describe, expect, it } from 'vitest'
import {
  costOf,
  defaultCosts,
  formatMoney,
  fromShillings,
  requireCovers,
  toMajor,
  toMinor,
} from '../../../src/service/domain/money.ts'

describe('an amount on the wire', () => {
  it.each([
    [1, 'KES', 100],
    [0.01, 'KES', 1],
    [4.62, 'KES', 462],
    [1.15, 'KES', 115],
    [8.2, 'ZMW', 820],
    [150_000, 'KES', 15_000_000],
    [1_000_000_000.29, 'KES', 100_000_000_029],
    [500, 'UGX', 500],
    [1000, 'RWF', 1000],
    [-3.5, 'KES', -350],
  ])('converts %d %s to %d minor units and back', (amount, currency, minor) => {
    expect(toMinor(amount, currency)).toBe(minor)
    expect(toMajor(minor, currency)).toBe(amount)
  })

  it('converts each of 100,000 cents to the same number', () => {
    const cents = Array.from({ length: 100_000 }, (_, minor) => minor)
    expect(cents.filter((minor) => toMinor(toMajor(minor, 'KES'), 'KES') !== minor)).toEqual([])
  })

  it.each([
    [1.005, 'KES', 'have at most 2 decimals in'],
    [0.1 + 0.7, 'KES', 'have at most 2 decimals in'],
    [0.001, 'NGN', 'have at most 2 decimals in'],
    [500.5, 'UGX', 'be a whole number of'],
    [0.1, 'RWF', 'be a whole number of'],
  ])('%d %s has too many decimals', (amount, currency, most) => {
    expect(() => toMinor(amount, currency, 'fee')).toThrow(`fee must ${most} ${currency}, got ${amount}`)
  })

  it.each([1e15, -1e15, 1e300, Infinity, NaN])('%d is out of range', (amount) => {
    expect(() => toMinor(amount, 'KES')).toThrow(
      /^amount must be at (most KES |least KES -)90,071,992,547,409\.00, got /,
    )
  })

  it.each([
    [462, 'KES', '4.62'],
    [100, 'KES', '1.00'],
    [5, 'TZS', '0.05'],
    [5, 'UGX', '5'],
  ])('formats %d minor units of %s as %s', (minor, currency, text) => {
    expect(formatMoney(minor, currency)).toBe(text)
  })
})

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

  it('rounds amounts of a currency without decimals', () => {
    expect(fromShillings(4.62, 'UGX')).toBe(129)
    expect(fromShillings(1_000_000, 'RWF')).toBe(11_000_000)
  })
})
