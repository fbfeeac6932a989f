import type { World } from '../worlds/world.ts'
import type { Expectation, Scenario } from '../scenarios/scenario.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { ControlDependencies } from './dependencies.ts'
import { requireScenario, scenariosOf } from './scenarios.ts'

/** The requests that show a scenario, for who wants to see it happen in a world that goes on. */
export const scenarioSamples = ({
  library,
  inboxes,
}: ControlDependencies): Pick<ControlHandlers, 'listScenarioSamples'> => ({
  async listScenarioSamples(call) {
    const { world, origin, request } = call
    const { name } = request.path
    const scenario = requireScenario(await scenariosOf(world, library()), name)
    const { sampleRequest } = await import('../scenarios/samples.ts')
    const callback_url = inboxes.address(origin, world.name, 'default')
    const kyc_id = await lastKyc(world)
    const promises = promisesOf(scenario)
    const samples = scenario.expect.map((expected, n) => {
      const reference = request.query.reference ?? `${name.slice(0, 60)}-${n + 1}`
      const { headers, body, ...line } = sampleRequest(scenario, expected.request, {
        callback_url,
        reference,
        kyc_id,
      })
      const { operation } = expected.request
      const { times } = expected
      const asked = { operation, ...line, headers: { ...headers }, body: body ? { ...body } : null }
      return { ...asked, reference, times, expect: promises[n]! }
    })
    return { status: 200, body: { samples } }
  },
})

/** What the file says after `expect`, without the requests. */
function promisesOf({ file }: Scenario): readonly Record<string, unknown>[] {
  const { expect = [] } = file as { expect?: object | readonly object[] }
  return [expect].flat().map((each) => {
    const { request: _request, ...promise } = each as Partial<Expectation>
    return promise
  })
}

const lastKyc = (world: World) =>
  world.read(({ rows }) => rows.below('kycs', { before: Infinity, limit: 1 })[0]?.id ?? 0)
