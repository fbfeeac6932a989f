import { planOf, type PlanFile } from './plan.ts'
import { readLimits, type TrafficRun } from './result.ts'
import { runTraffic } from './run.ts'
import type { TrafficPlan, TrafficWorld } from './world.ts'

/** @throws {PlanError | RangeError} if the plan or a limit is invalid */
export function traffic(
  world: TrafficWorld,
  { shop, seed = '1', failOn = '', signal, wait, ...plan }: TrafficPlan,
): Promise<TrafficRun> {
  return runTraffic({
    plan: planOf(plan as PlanFile),
    seed,
    limits: readLimits(failOn),
    world,
    shop,
    signal,
    wait,
  })
}
