import { expect, it } from 'vitest'
import { rules } from '../../src/service/domain/realism/rules.ts'
import { startPages } from './pages.ts'

const { get } = await startPages()

it('GET /sandbox/provenance lists every rule of realism once, with its source', async () => {
  const { entries } = (await get('/sandbox/provenance')).json
  const listed = entries.filter((each: { kind: string }) => each.kind === 'rule')
  expect(listed).toHaveLength(rules.length)
  for (const { name, provenance, source } of rules)
    expect(listed).toContainEqual({
      kind: 'rule',
      operation: '',
      name: `Realism.${name}`,
      provenance,
      note: expect.stringContaining(source),
    })
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
})

it.each([
  'numbering.KE.763-766',
  'numbering.GH.23',
  'other_network',
  'same_amount.alike',
  'amount_per_day.directions',
])('GET /sandbox/provenance marks a rule without a public source as assumed: %s', async (name) => {
  const { entries } = (await get('/sandbox/provenance')).json
  expect(entries).toContainEqual(expect.objectContaining({ name: `Realism.${name}`, provenance: 'assumed' }))
})

it.each(['same_amount', 'amount_per_day'])(
  'GET /sandbox/provenance marks a rule with a complete public source as observed: %s',
  async (name) => {
    const { entries } = (await get('/sandbox/provenance')).json
    const entry = entries.find((each: { name: string }) => each.name === `Realism.${name}`)
    expect(entry).toMatchObject({ provenance: 'observed', note: expect.not.stringContaining('assumed') })
  },
)
