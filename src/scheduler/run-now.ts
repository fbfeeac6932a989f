import type { World } from '../worlds/world.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { JobPerformer } from './job-performer.ts'
import type { Leases } from './leases.ts'
import { type DispatchOf, owedJob } from './job.ts'
import type { WorldWorks } from './world-work.ts'

export interface RunNowOptions {
  readonly works: WorldWorks
  readonly leases: Leases
  readonly dispatchOf: DispatchOf
  readonly performer: JobPerformer
  readonly dispatcher: Dispatcher
}

/** Does one job of a world at once, whenever it is due; waits for it when it runs already. */
export const createRunNow =
  ({ works, leases, dispatchOf, performer, dispatcher }: RunNowOptions) =>
  async (world: World, job_id: number): Promise<void> => {
    const { name } = world
    if (!leases.has(name)) await leases.obtain(name)
    const work = works.of(name)
    const owed = await world.read((look) => owedJob(look, job_id))
    if (!owed) return
    if (dispatcher.isPaced)
      await dispatcher.inPace(name, await world.read((look) => dispatchOf(look, owed.job)))
    await performer.perform(world, work, owed)
    leases.yield(name)
  }
