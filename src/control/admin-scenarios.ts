import type { Context } from 'hono'
import { notFound } from '../domain/errors.ts'
import type { Env } from '../http/env.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { ControlHandlers } from './handlers.ts'
import { scenarios } from './scenarios.ts'
import { walk } from './walk.ts'

/** Scenarios of any world, for whoever may steer the process; what is done there is what its own API does. */
export const adminScenarios: Pick<
  ControlHandlers,
  'adminListScenarios' | 'adminSetScenarioState' | 'adminResetScenarios'
> = {
  async adminListScenarios(c) {
    enter(c, c.req.valid('query').world)
    return scenarios.listScenarios(c as never, async () => {}) as never
  },

  async adminSetScenarioState(c) {
    enter(c, c.req.valid('query').world)
    return scenarios.setScenarioState(c as never, async () => {}) as never
  },

  async adminResetScenarios(c) {
    const all = c.var.process.worlds.all()
    await walk('/__admin', all, async (world) => {
      if (!world.closed) await world.change(({ rows }) => rows.delete('state', SCENARIO_STATE))
    })
    return c.json({ worlds: all.length }, 200)
  },
}

/** Goes on in a world. @throws ServiceError 404 */
function enter(c: Context<Env>, name = c.var.process.worlds.home): void {
  const world = c.var.process.worlds.get(name)
  if (!world) throw notFound('world', name)
  c.set('world', world)
}
