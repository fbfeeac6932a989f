import { expect, it } from 'vitest'
import { fuzz } from './fuzz.ts'

// The suite beside the tests does five thousand, and as many as it is told: test/fuzz/run.
it('no request causes a 500 or an undescribed response', { timeout: 120_000 }, async () => {
  const { cases, failures, statuses } = await fuzz(500, 7)
  expect(failures).toEqual([])
  expect(cases).toBe(500)
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
})
