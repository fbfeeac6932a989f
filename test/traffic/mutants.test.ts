import { describe, expect, it } from 'vitest'
import { mutants, play } from './shops.ts'

const mix = { 'payer-cancels': 0.08, 'insufficient-funds': 0.05 }

describe('a run', () => {
  it.each(Object.entries(mutants))('catches %s', async (_, { incident, rate = '10/m', kind, habits }) => {
    const run = await play({ for: '13m', rate, mix, incidents: [incident] }, habits)
    expect(run.verdict).toMatchObject({ result: 'fail', exit_code: 1 })
    expect(run.wrong.kinds[kind]).toBeGreaterThan(0)
    expect(run.wrong.orders[0]).toMatchObject({
      amount: expect.any(Number),
      ledger: expect.stringMatching(/\d/),
    })
    expect(run.wrong.at_stake).toBeGreaterThan(0)
  })
})
