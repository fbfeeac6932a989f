import { describe, expect, it } from 'vitest'
import { compared } from '../../dashboard/core/compare.ts'
import { collection } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()

/** What a statement has that the ledger has otherwise, after payments from these numbers. */
async function differencesAfter(numbers: readonly string[], query = '') {
  const w = world()
  for (const [n, phone_number] of numbers.entries())
    await w.post('/api/v2/payments', collection(w, { phone_number, external_reference: `order-${n + 1}` }))
  await w.settle()
  const statement = (await w.get(`/sandbox/statements${query}`)).body
  return compared(statement, (await w.get('/sandbox/ledger?limit=1000')).body.postings)
}

describe('a comparison of a statement with the ledger', () => {
  it('finds no difference in a correct statement', async () => {
    const { postings, differences } = await differencesAfter(['0712345678', '0712345679'])
    expect(differences).toEqual([])
    expect(postings).toBeGreaterThanOrEqual(2)
  })

  it('reports a missing payment, another amount and a duplicate', async () => {
    const { differences } = await differencesAfter(['0712345678', '0700000121', '0700000122', '0700000123'])
    expect(differences.map(({ what }) => what)).toEqual([
      'not in the statement',
      'another amount',
      'twice in the statement',
    ])
    const [missing, other, twice] = differences
    expect(missing).toMatchObject({ said: null, booked: expect.any(Number) })
    expect(other!.said).not.toBe(other!.booked)
    expect(twice!.said).toBe(2 * twice!.booked!)
  })

  it('only compares postings of the statement’s period', async () => {
    const { postings, differences } = await differencesAfter(['0700000121'], '?to=2020-01-01')
    expect([postings, differences]).toEqual([0, []])
  })
})
