import { releaseHeld } from '../service/domain/prompts.ts'
import type { World } from '../worlds/world.ts'
import { type JobRun, nextDue, readJob } from './job-performer.ts'
import type { WorldWork } from './world-work.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { KeyedMutex } from '../storage/store/keyed-mutex.ts'
import { CLOCK_STATE } from '../worlds/settings.ts'
import type { SchedulerParts } from './takeover.ts'

/** Lets held payments settle automatically that no one waits for. */
export async function releasePayments(world: World): Promise<void> {
  for (;;) if (!(await world.change(releaseHeld))) return
}

/** Runs a job immediately, or waits for it if it is running. */
export const createRunNow =
  ({ works, ownership, dispatchOf, performer, dispatcher }: SchedulerParts) =>
  async (world: World, job_id: number): Promise<void> => {
    const { name } = world
    if (!ownership.has(name)) await ownership.obtain(name)
    const work = works.of(name)
    const found = await world.read((look) => readJob(look, job_id))
    if (!found) return
    if (dispatcher.isPaced)
      await dispatcher.inPace(name, await world.read((look) => dispatchOf(look, found.job)))
    await performer.perform(world, work, found)
    ownership.yield(name)
  }

interface TravelRequest {
  readonly until: number
  readonly most: number
  /** Whether to set the clock to `until` at the end. */
  readonly leap: boolean
  /** Whether jobs run that end the wait for a payer. */
  readonly deadlines: boolean
}

/**
 * Returns a function that runs the jobs due until a time in due order, each at its own time of the world's clock. Meanwhile no other
 * jobs run in the world, and other callers wait.
 */
export function createTimeTravel(options: SchedulerParts) {
  const { works, runner, onEnd } = options
  const mutex = new KeyedMutex()
  return (world: World, request: TravelRequest): Promise<readonly JobRun[]> =>
    mutex.run(world.name, async () => {
      const work = works.of(world.name)
      work.activity = 'travelling'
      try {
        await stop(world, work, options)
        const before = world.clock.state
        const ran = await travel(world, work, request, options)
        // Another process that takes over the world reads its clock from the row.
        if (world.clock.state !== before) await keepClock(world)
        return ran
      } finally {
        work.endTimeTravel()
        onEnd(world)
        await runner.announce(world.name)
      }
    })
}

/** Writes the state of the clock for other processes and the next start. */
async function keepClock(world: World): Promise<void> {
  const { clock } = world
  const { state } = clock
  return world.change(({ rows }) => {
    // Starting the change has reset the clock to the state in the row.
    clock.follow(state)
    rows.put('state', { name: CLOCK_STATE, value: state })
  })
}

async function stop({ name }: World, work: WorldWork, { dispatcher }: SchedulerParts): Promise<void> {
  await work.loading
  await work.draining
  dispatcher.takeBack(name, work)
  await work.idle()
}

async function travel(
  world: World,
  work: WorldWork,
  { until, most, leap, deadlines }: TravelRequest,
  { works, ownership, dispatchOf, performer, dispatcher, takeover }: SchedulerParts,
): Promise<readonly JobRun[]> {
  const { name, clock } = world
  const ran: JobRun[] = []
  const slice = await timeSlice(name)
  while (ran.length < most) {
    if (slice.over) await slice.next()
    if (!ownership.has(name)) await ownership.obtain(name)
    if (works.closed) break
    // Another process ran its jobs until now, or it was just opened.
    if (work.isStale) await takeover.takeUp(name, work)
    const next = await nextDue(world, work, until, dispatchOf, performer)
    if (!next) {
      // Another process has taken over the world: the remaining jobs run when it is back.
      if (work.jobs === 'standby') continue
      break
    }
    const { job, dispatch } = next
    // Running the other jobs must not use up a payer's time.
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
