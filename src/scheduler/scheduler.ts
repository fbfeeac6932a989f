import type { ConcurrencyLimits } from '../callbacks/limits.ts'
import { LAST_TIME } from '../lib/clock/bounds.ts'
import type { Wall } from '../lib/clock/clock.ts'
import type { JobQueue } from '../storage/engine/job-queue.ts'
import type { Store } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { createDrain } from './drain.ts'
import { Dispatcher } from './dispatcher.ts'
import { type DispatchOf, type JobRun, type OnJobError, type RunJob, JobPerformer } from './job-performer.ts'
import { JobOwnership } from './job-ownership.ts'
import { LeaseEnds } from './lease-ends.ts'
import { MailJobs, type MailSender } from './mail-jobs.ts'
import { createRunNow, createTimeTravel, releasePayments } from './time-travel.ts'
import { startDueWorldPoller, Takeover } from './takeover.ts'
import { Alarm, WorldWorks } from './world-work.ts'

export interface Scheduler {
  /**
   * Moves the world's clock to `time` and runs the jobs due until then in due order, one after another, at most `most`. Returns
   * what ran.
   */
  advance(world: World, time: number, most?: number): Promise<readonly JobRun[]>
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
  const works = new WorldWorks()
  const performer = new JobPerformer(works, options.run, options.onError)
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
  const ownership = new JobOwnership({ runner, wall, isUnderWay, onLost, lookAgain, onError })
  const dispatcher = new Dispatcher({ works, ownership, performer, limits: options.limits, onEnd })
  const alarm = new Alarm({
    works,
    wall,
    world,
    onDue: (world) => startDraining(world),
    onStandbyEnd: (name) => void takeover.takeUp(name).catch(onError),
  })
  const { mails: sender } = options
  const mails = sender && new MailJobs({ store, wall, world, ownership, sender, onError })
  const clockChanged = ({ name }: World) => {
    takeover.arm(name)
    runner.announce(name).catch(onError)
  }
  const leaseEnds = new LeaseEnds({ store, wall, world, onEnded: clockChanged, onError })
  const takeover = new Takeover({ store, wall, world, works, ownership, dispatcher, alarm, mails, leaseEnds })
  const parts = { works, ownership, dispatchOf, performer, dispatcher, runner, takeover, onEnd, onLost }
  const startDraining = createDrain(parts)
  const travel = createTimeTravel(parts)
  const stopWatching = store.onCommit((name, written) => takeover.onWritten(name, written))
  for (const name of options.first ?? (await store.worlds())) await takeover.load(name)
  const open = options.open ?? (async (name: string) => world(name))
  const stopLooking = startDueWorldPoller({ ownership, takeover, wall, open, onError })

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
