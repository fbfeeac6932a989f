import type { ConcurrencyLimits } from '../callbacks/limits.ts'
import { LAST_TIME, type Wall, sliceOf, timeSlice, KeyedMutex } from '../lib/clock/clock.ts'
import type { JobQueue } from '../storage/engine/job-queue.ts'
import type { Store } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import {
  createDispatcher,
  type DispatchOf,
  type JobRun,
  type OnJobError,
  type RunJob,
  createJobPerformer,
  nextDue,
  readJob,
} from './job-performer.ts'
import { createJobOwnership } from './job-ownership.ts'
import { createLeaseEnds, startDueWorldPoller, createTakeover, type SchedulerParts } from './takeover.ts'
import { createMailJobs, type MailSender } from './mail-jobs.ts'
import { createAlarm, WorldWorks, type WorldWork } from './world-work.ts'
import { releaseHeld } from '../service/domain/phones.ts'
import { CLOCK_STATE } from '../worlds/settings.ts'

export interface Scheduler {
  /**
   * Moves the world's clock to `time` and runs the jobs due until then in due order, one after another, at most `most`. Returns
   * what ran. A function is called once earlier moves of the clock have ended.
   */
  advance(world: World, time: number | (() => Promise<number>), most?: number): Promise<readonly JobRun[]>
  /**
   * Moves the world's clock from job to job until none is due by `until`, or `most` have run. Without `until`, offline
   * collections keep waiting for their payers. Returns what ran.
   */
  settle(world: World, most?: number, until?: number): Promise<readonly JobRun[]>
  /** Call it when the speed of a world's clock was changed. */
  clockChanged(world: World): void
  /** Reads the jobs of a world again; call it after its rows were replaced or dropped. */
  reload(name: string): Promise<void>
  /** Reads the jobs of a world that was just opened. */
  opened(name: string): Promise<void>
  /** Returns whether a world can be closed: nothing of it is running here, or due soon. */
  isIdle(name: string): boolean
  forget(name: string): void
  /** Runs a job now, or waits for it if it is running; ignores jobs that are done. */
  runNow(world: World, job_id: number): Promise<void>
  /** Returns how many jobs use the network, and how many wait for that. */
  traffic(): { readonly running: number; readonly waiting: number }
  /** Waits for running jobs; the others stay in their worlds. */
  close(): Promise<void>
}

export interface SchedulerOptions {
  readonly store: Store
  readonly jobs: JobQueue
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  /** Opens a world; needed if not all worlds are open. */
  readonly open?: (name: string) => Promise<World | undefined>
  /** The worlds that are open at the start; all worlds by default. */
  readonly first?: readonly string[]
  readonly run: RunJob
  readonly dispatchOf: DispatchOf
  readonly onError: OnJobError
  /** If omitted, e-mails stay in the mailbox. */
  readonly mails?: MailSender | undefined
  readonly limits?: Partial<ConcurrencyLimits>
}

/** Limits jobs that create ever more jobs. */
const MOST_SETTLED = 100_000

/**
 * Runs each job when its world's clock reaches it, in worlds that no other process owns.
 *
 * - `WorldWorks` contains the queues and running jobs of all open worlds.
 * - `JobOwnership` claims worlds for this process, and releases those that another process waits for.
 * - `Takeover` fills a world's queue from its rows, leaves worlds to other processes, and opens worlds with due jobs.
 * - `Alarm` waits for the first due job; `drain` then runs all due jobs of a world.
 * - `Dispatcher` limits jobs that use the network; `JobPerformer` runs each job.
 * - `time-travel` runs jobs while someone moves a world's clock.
 * - `MailJobs` sends e-mails and `LeaseEnds` ends leases of worlds, both in real time.
 */
export async function startScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { store, wall, world, dispatchOf } = options
  const open = { store, wall, world }
  const works = new WorldWorks()
  const performer = createJobPerformer(works, options.run, options.onError)
  const onError = (error: unknown) => {
    if (!works.closed) options.onError(error, undefined)
  }
  const onEnd = ({ name }: World) => takeover.onEnded(name)
  const onLost = (name: string, until: number) => takeover.leave(name, until)
  const runner = options.jobs.join({
    onWake: (name) => void takeover.look(name).catch(onError),
    onRequested: (name) => takeover.onRequested(name),
  })
  const isUnderWay = (name: string) =>
    (works.get(name)?.isUnderWay ?? false) || (mails?.isSending(name) ?? false)
  const lookAgain = (name: string) => takeover.lookAgain(name)
  const ownership = createJobOwnership({ runner, wall, isUnderWay, onLost, lookAgain, onError })
  const dispatcher = createDispatcher({ works, ownership, performer, limits: options.limits, onEnd })
  const alarm = createAlarm({
    works,
    wall,
    world,
    onDue: (world) => startDraining(world),
    onStandbyEnd: (name) => void takeover.takeUp(name).catch(onError),
  })
  const { mails: sender } = options
  const mails = sender && createMailJobs({ ...open, ownership, sender, onError })
  const clockChanged = ({ name }: World) => {
    takeover.arm(name)
    runner.announce(name).catch(onError)
  }
  const leaseEnds = createLeaseEnds({ ...open, onEnded: clockChanged, onError })
  const takeover = createTakeover({ ...open, works, ownership, dispatcher, alarm, mails, leaseEnds })
  const parts = { works, ownership, dispatchOf, performer, dispatcher, runner, takeover, onEnd, onLost }
  const startDraining = createDrain(parts)
  const travel = createTimeTravel(parts)
  const stopWatching = store.onCommit((name, written) => takeover.onWritten(name, written))
  for (const name of options.first ?? (await store.worlds())) await takeover.load(name)
  const openWorld = options.open ?? (async (name: string) => world(name))
  const stopLooking = startDueWorldPoller({ ownership, takeover, wall, open: openWorld, onError })

  return {
    advance: (world, until, most = MOST_SETTLED) =>
      travel(world, { until, most, leap: true, deadlines: true }),
    async settle(world, most = MOST_SETTLED, until = undefined) {
      // Watchers of phones who have just disconnected are not waited for.
      if (world.settings.payer === 'manual_while_watched') await releasePayments(world)
      return travel(world, { until: until ?? LAST_TIME, most, leap: false, deadlines: until !== undefined })
    },
    clockChanged,
    async reload(name) {
      await takeover.load(name)
      await runner.announce(name)
    },
    opened: (name) => takeover.load(name),
    isIdle: (name) => !isUnderWay(name) && !ownership.has(name) && !takeover.isDueSoon(name),
    forget: (name) => works.forget(name),
    runNow: createRunNow(parts),
    traffic: () => dispatcher.traffic,
    async close() {
      works.closed = true
      stopLooking()
      alarm.close()
      dispatcher.close()
      stopWatching()
      leaseEnds.close()
      await mails?.close()
      await performer.ended()
      await ownership.close()
    },
  }
}

/** Maximum number of jobs of a world that run at the same time. */
const MOST_AT_ONCE = 100

/** Returns a function that runs the due jobs of a world in due order, one loop per world. */
function createDrain(options: SchedulerParts): (world: World) => void {
  const { works, performer, onEnd } = options
  return (world) => {
    const work = works.of(world.name)
    if (work.activity !== 'waiting' || work.jobs === 'loading' || works.closed) return
    work.activity = 'draining'
    work.draining = drain(world, work, options)
      .catch((error: unknown) => performer.report(error, world, work))
      .finally(() => {
        work.draining = undefined
        if (work.activity === 'draining') work.activity = 'waiting'
        onEnd(world)
      })
  }
}

async function drain(
  world: World,
  work: WorldWork,
  { works, ownership, dispatchOf, performer, dispatcher, onLost }: SchedulerParts,
): Promise<void> {
  const slice = sliceOf(world.name)
  const begun = new Set<Promise<string>>()
  const ended = async () => {
    await Promise.all(begun)
    begun.clear()
  }
  try {
    while (!works.closed && work.activity === 'draining' && !ownership.isRequested(world.name)) {
      if (!ownership.has(world.name)) {
        const { granted, until } = await ownership.claim(world.name)
        if (!granted) return onLost(world.name, until)
      }
      const next = await nextDue(world, work, world.clock.now(), dispatchOf, performer)
      if (!next && begun.size === 0) return
      if (next?.dispatch) dispatcher.add(world, work, { ...next, dispatch: next.dispatch })
      // Jobs start in due order, without waiting for the previous one, so that the store writes them together.
      else if (next) begun.add(performer.perform(world, work, next))
      if (!next || begun.size === MOST_AT_ONCE) await ended()
      if (slice.over) await slice.next()
    }
  } finally {
    await ended()
  }
}

/** Lets held payments settle automatically that no one waits for. */
export async function releasePayments(world: World): Promise<void> {
  for (;;) if (!(await world.change(releaseHeld))) return
}

/** Runs a job immediately, or waits for it if it is running. */
const createRunNow =
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
  readonly until: number | (() => Promise<number>)
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
function createTimeTravel(options: SchedulerParts) {
  const { works, runner, onEnd } = options
  const mutex = new KeyedMutex()
  return (world: World, request: TravelRequest): Promise<readonly JobRun[]> =>
    mutex.run(world.name, async () => {
      const work = works.of(world.name)
      work.activity = 'travelling'
      try {
        await stop(world, work, options)
        return await world.moveClock(async () => {
          const before = world.clock.state
          const until = typeof request.until === 'number' ? request.until : await request.until()
          const ran = await travel(world, work, { ...request, until }, options)
          // Another process that takes over the world reads its clock from the row.
          if (world.clock.state !== before) await keepClock(world)
          return ran
        })
      } finally {
        work.endTimeTravel()
        onEnd(world)
        await runner.announce(world.name)
      }
    })
}

/** Writes the state of the clock for other processes and the next start. One that they moved further meanwhile stays there. */
async function keepClock(world: World): Promise<void> {
  const { clock } = world
  const { state } = clock
  return world.change(({ rows }) => {
    // Starting the change may have reset the clock to the state in the row.
    const stored = clock.state
    clock.follow(state)
    const time = clock.now()
    if (stored !== state) clock.follow(stored)
    if (time > clock.now()) clock.set(time)
    rows.put('state', { name: CLOCK_STATE, value: clock.state })
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
  { until, most, leap, deadlines }: TravelRequest & { readonly until: number },
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
