import { describe, expect, it } from 'vitest'
import { formatMoney, fromShillings, toMajor, toMinor } from '../../../src/service/domain/money.ts'

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

  it('rounds amounts of a currency without decimals', () => {
    expect(fromShillings(4.62, 'UGX')).toBe(129)
    expect(fromShillings(1_000_000, 'RWF')).toBe(11_000_000)
  })
})
