import { expect, it } from 'vitest'
import { reasonsFor } from '../../dashboard/core/reasons.ts'
import { reasonsOf } from '../../src/service/vocabulary/rails.ts'

it.each([
  ['momo', 'payin'],
  ['momo', 'payout'],
  ['bank', 'payin'],
  ['bank', 'payout'],
  ['card', 'payin'],
] as const)('offers only reasons that a transaction accepts: %s %s', (rail, direction) => {
  const offered = reasonsFor(rail, direction)
  expect(offered.length).toBeGreaterThan(4)
  expect(offered.filter((reason) => !reasonsOf(direction, rail).includes(reason))).toEqual([])
})
