import { notFound } from '../service/domain/errors.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { World } from '../worlds/world.ts'
import type { ControlDependencies } from './dependencies.ts'
import { scenarioList, setScenarioStep } from './scenarios.ts'
import { walk } from './walk.ts'

type Handlers = Pick<ControlHandlers, 'adminListScenarios' | 'adminSetScenarioState' | 'adminResetScenarios'>

/** Scenarios of any world, for whoever may steer the process; what is done there is what its own API does. */
export const adminScenarios = ({ worlds, library }: ControlDependencies): Handlers => {
  /** @throws ServiceError 404 */
  const worldOf = async (name = worlds.home): Promise<World> => {
    const world = await worlds.find(name)
    if (!world) throw notFound('world', name)
    return world
  }
  return {
    async adminListScenarios({ request }) {
      return { status: 200, body: await scenarioList(await worldOf(request.query.world), library()) }
    },

    async adminSetScenarioState({ request: { path, query, body } }) {
      const state = await setScenarioStep(await worldOf(query.world), library(), path.name, body.step)
      return { status: 200, body: state }
    },

    async adminResetScenarios() {
      const all = await worlds.names()
      await walk('/__admin', all, async (name) => {
        const world = await worlds.find(name)
        if (world && !world.closed) await world.change(({ rows }) => rows.delete('state', SCENARIO_STATE))
      })
      return { status: 200, body: { worlds: all.length } }
    },
  }
}
