import { HEARD } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import type { Due } from './due-queue.ts'
import type { JobPerformer } from './job-performer.ts'
import { type Dispatch, type DispatchOf, owedJob, type OwedJob } from './job.ts'
import type { WorldWork } from './world-work.ts'

export interface DueJob extends OwedJob {
  readonly due: Due
  readonly dispatch: Dispatch | null
}

/**
 * Takes the next job that is due by `time` and may run out of a world's queue. What has to wait for its series is parked,
 * and what cannot be dispatched has failed.
 */
export async function nextDue(
  world: World,
  work: WorldWork,
  time: number,
  dispatchOf: DispatchOf,
  performer: JobPerformer,
): Promise<DueJob | undefined> {
  for (;;) {
    const due = work.queue.takeUntil(time)
    if (!due) return undefined
    const { freed } = work
    const found = await world.read((look) => {
      work.generation ??= look.rows.generation
      const owed = owedJob(look, due.id)
      // It was planned anew since, and is in the queue for its new time, too.
      if (!owed || owed.job.due_at > due.at) return undefined
      try {
        return { ...owed, dispatch: dispatchOf(look, owed.job), error: undefined }
      } catch (error) {
        return { ...owed, dispatch: null, error: { error } }
      }
      // What this process knows of the rows is enough: no other one runs jobs of this world.
    }, HEARD)
    if (!found) continue
    if (found.error) {
      await performer.fail(world, work, found, found.error.error)
      continue
    }
    if (!found.dispatch) return { ...found, due }
    const { series, held } = found.dispatch
    // A job that ended while this one was looked up may be the one that held it.
    if (held && freed !== work.freed) work.queue.add(due)
    else if (held || work.isBusy(series)) work.park(series, due)
    else return { ...found, due }
  }
}
