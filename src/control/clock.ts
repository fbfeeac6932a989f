import { handlers, ok } from './page.ts'
import type { Clock } from '../lib/clock/clock.ts'
import { LAST_TIME } from '../lib/clock/bounds.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { failingJobs } from '../service/domain/context.ts'
import type { JobRun } from '../scheduler/job-performer.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { CLOCK_STATE } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import { failingView, workView } from './jobs.ts'
import { exactTime, readDuration } from '../service/domain/wire-time.ts'

/** Maximum number of jobs that one request runs, and that its response lists. */
const MOST_RUN = 10_000
const MOST_LISTED = 1_000
/** Jobs rendered per read. */
const A_LOOK = 100
const MOST_FAILING = 100

export const clock = handlers(({ scheduler }) => ({
  async getClock({ world }) {
    return ok(await clockView(world))
  },

  async freezeClock({ world }) {
    return ok(await changed(scheduler, world, (clock) => clock.freeze()))
  },

  async resumeClock({ world }) {
    return ok(await changed(scheduler, world, (clock) => clock.run(1)))
  },

  async setClockSpeed({ request, world }) {
    const { speed: factor, ...rest } = request.body
    noneLeft(rest)
    return ok(await changed(scheduler, world, (clock) => clock.run(factor)))
  },

  async advanceClock({ world, request }) {
    const { by, to, ...rest } = request.body
    noneLeft(rest)
    const now = world.clock.now()
    if ((by === undefined) === (to === undefined))
      throw invalid('one of by (a duration, such as 72h) and to (a time) is required')
    const time = by === undefined ? Date.parse(to!) : now + readDuration('by', by)
    if (time < now)
      throw invalid(`to must not be before the world's current time, ${exactTime(now)}, got "${to}"`)
    if (time > LAST_TIME)
      throw invalid(
        `${by === undefined ? 'to must be' : 'by must lead to'} at most ${exactTime(LAST_TIME)}, the latest supported time, got "${by ?? to}"`,
      )
    const ran = await scheduler.advance(world, time, MOST_RUN)
    return ok(await travelView(world, ran, MOST_RUN))
  },

  async settle({ world, request }) {
    const { within, limit = MOST_RUN } = request.query
    const until = within === undefined ? undefined : world.clock.now() + readDuration('within', within)
    const ran = await scheduler.settle(world, limit, until)
    return ok(await travelView(world, ran, limit))
  },
}))

/** Saves the clock's state, which other processes and the next start read, and wakes up waiting jobs. */
async function changed(scheduler: Scheduler, world: World, work: (clock: Clock) => void) {
  await world.change((tx) => {
    work(world.clock)
    tx.rows.put('state', { name: CLOCK_STATE, value: world.clock.state })
  })
  scheduler.clockChanged(world)
  return clockView(world)
}

function clockView(world: World) {
  return world.read((look) => {
    const [next] = look.rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 })
    const { speed: factor } = world.clock.state
    return {
      now: exactTime(world.clock.now()),
      real_time: exactTime(world.clock.date()),
      frozen: factor === 0,
      speed: factor,
      scheduled: look.rows.count('jobs', 'due', 0),
      next: next ? workView(look, next) : null,
      failing: failingJobs(look)
        .slice(0, MOST_FAILING)
        .map((job) => failingView(look, job, job.failed!)),
    }
  })
}

async function travelView(world: World, ran: readonly JobRun[], most: number) {
  const clock = await clockView(world)
  const listed = []
  const slice = await timeSlice(world.name)
  for (let from = 0; from < Math.min(ran.length, MOST_LISTED); from += A_LOOK) {
    if (slice.over) await slice.next()
    const some = ran.slice(from, Math.min(from + A_LOOK, MOST_LISTED))
    const views = world.read((look) => some.map(({ job, result }) => ({ ...workView(look, job), result })))
    listed.push(...(await views))
  }
  return { clock, jobs: listed, job_count: ran.length, complete: ran.length < most }
}
