/** Cost of deciding a collection that no scenario matches, by number of loaded scenario files. */
import { createRandom } from '../../src/lib/random/random.ts'
import { decide } from '../../src/scenarios/decide.ts'
import { noState, libraryOf } from '../../src/scenarios/library.ts'
import { shippedScenarios } from '../../src/scenarios/load.ts'
import { readScenario } from '../../src/scenarios/read.ts'
import type { ScenarioRequest, Scenario } from '../../src/scenarios/scenario.ts'

const TIMES = 200_000
const shipped = shippedScenarios()
const made = (count: number, operation: 'createCollection' | 'submitKyc'): Promise<Scenario[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      readScenario(
        `made-${i}`,
        `made-${i}.yaml`,
        [
          'title: A made-up customer',
          'when:',
          `  operation: ${operation}`,
          `  body.${operation === 'submitKyc' ? 'country_code' : 'external_reference'}: never-${i}`,
          'then: { delay: 1s }',
        ].join('\n'),
      ),
    ),
  )

const libraries: Record<string, readonly Scenario[]> = {
  '0 files': [],
  '30 files': shipped.slice(0, 30),
  '1,000 files of other operations': [...shipped.slice(0, 30), ...(await made(970, 'submitKyc'))],
  '1,000 files of this operation': [...shipped.slice(0, 30), ...(await made(970, 'createCollection'))],
}

const fields: Record<string, unknown> = {
  party: '254712345678',
  amount: 2,
  'body.external_reference': 'order-1',
}
const request: ScenarioRequest = {
  operation: 'createCollection',
  direction: () => 'payin',
  value: (field) => fields[field],
  preferred: undefined,
}
const random = createRandom('bench')

const costs: Record<string, number> = {}
for (const [name, scenarios] of Object.entries(libraries)) {
  const library = libraryOf(scenarios)
  const input = { library, state: noState, request, random, now: 0 }
  const times = scenarios.length > 100 && name.endsWith('this operation') ? TIMES / 100 : TIMES
  const measure = () => {
    const from = performance.now()
    for (let i = 0; i < times; i++) decide(input)
    return ((performance.now() - from) / times) * 1e6
  }
  measure()
  costs[name] = Math.min(measure(), measure(), measure())
}
process.send?.(costs)
