import { releaseHeld } from '../service/domain/prompts.ts'
import type { World } from '../worlds/world.ts'
import type { RunningParts } from './dispatcher.ts'
import { type JobRun, nextDue, owedJob } from './job-performer.ts'
import type { WorldWork } from './world-work.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { KeyedMutex } from '../storage/store/keyed-mutex.ts'
import type { Runner } from '../storage/engine/job-queue.ts'
import { CLOCK_STATE } from '../worlds/settings.ts'
import type { Takeover } from './takeover.ts'

/** Lets payments settle by themselves that were held for a payer whom nobody waits for any more. */
export async function releasePayments(world: World): Promise<void> {
  for (;;) if (!(await world.change(releaseHeld))) return
}

/** Does one job of a world at once, whenever it is due; waits for it when it runs already. */
export const createRunNow =
  ({ works, leases, dispatchOf, performer, dispatcher }: RunningParts) =>
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

interface TimeTravelOptions extends RunningParts {
  readonly runner: Runner
  readonly takeover: Takeover
  readonly onEnd: (world: World) => void
}

interface TravelRequest {
  /** A time that the world's clock can have. */
  readonly until: number
  /** How many jobs may run. */
  readonly most: number
  /** Whether the clock goes on to `until` once nothing is due any more. */
  readonly leap: boolean
  /** Whether what waits for somebody to act comes to the end of its time. */
  readonly deadlines: boolean
}

/** Runs what is due until a time in due order, each job at its own time of the world's clock; returns what ran. */
type TimeTravel = (world: World, request: TravelRequest) => Promise<readonly JobRun[]>

/** While somebody moves a world's clock nothing runs there by itself, and whoever else would move it waits. */
export function createTimeTravel(options: TimeTravelOptions): TimeTravel {
  const { works, runner, onEnd } = options
  const mutex = new KeyedMutex()
  return (world, request) =>
    mutex.run(world.name, async () => {
      const work = works.of(world.name)
      work.timeTravel = true
      try {
        await stop(world, work, options)
        const before = world.clock.state
        const ran = await travel(world, work, request, options)
        // Before another process may have the world, which reads from this row how the clock goes.
        if (world.clock.state !== before) await keepClock(world)
        return ran
      } finally {
        work.endTimeTravel()
        onEnd(world)
        await runner.announce(world.name)
      }
    })
}

/** Writes how the clock goes, for whoever else has this world and for the next start. */
function keepClock(world: World): Promise<void> {
  const { clock } = world
  const { state } = clock
  return world.change(({ rows }) => {
    // To begin the change set the clock back to what the row says; the row gets the new state now.
    clock.follow(state)
    rows.put('state', { name: CLOCK_STATE, value: state })
  })
}

/** Resolves when nothing of the world is under way any more. */
async function stop({ name }: World, work: WorldWork, { dispatcher }: TimeTravelOptions): Promise<void> {
  await work.loading
  await work.draining
  dispatcher.takeBack(name, work)
  await work.idle()
}

async function travel(
  world: World,
  work: WorldWork,
  { until, most, leap, deadlines }: TravelRequest,
  { works, leases, dispatchOf, performer, dispatcher, takeover }: TimeTravelOptions,
): Promise<readonly JobRun[]> {
  const { name, clock } = world
  const ran: JobRun[] = []
  const slice = await timeSlice(name)
  while (ran.length < most) {
    if (slice.over) await slice.next()
    if (!leases.has(name)) await leases.obtain(name)
    if (works.closed) break
    // Another process ran its jobs until now, or it was just opened and what it owes is not read yet.
    if (work.standbyUntil !== undefined || work.generation === undefined) await takeover.takeUp(name, work)
    const next = await nextDue(world, work, until, dispatchOf, performer)
    if (!next) {
      // Another process has taken the world meanwhile: what is left is run when it comes back.
      if (work.standbyUntil !== undefined) continue
      break
    }
    const { job, dispatch } = next
    // The end of somebody's time to act is left out: to run the rest of the jobs must not use that time up.
    if ((job.task.kind === 'expire_offline' || job.task.kind === 'unanswered') && !deadlines) {
      work.defer(next.due)
      continue
    }
    if (job.due_at > clock.now()) clock.set(job.due_at)
    if (dispatch) {
      work.begin(dispatch.series)
      await dispatcher.inPace(name, dispatch)
    }
    ran.push({ job, result: await performer.perform(world, work, next) })
    if (dispatch) work.end(dispatch.series)
  }
  if (leap && ran.length < most && until > clock.now()) clock.set(until)
  return ran
}
