import { LAST_TIME } from '../lib/clock/bounds.ts'
import type { Wall } from '../lib/clock/clock.ts'
import type { JobQueue } from '../storage/engine/job-queue.ts'
import type { Store } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { Alarm, createDrain } from './drain.ts'
import { type ConcurrencyLimits, Dispatcher } from './dispatcher.ts'
import { type DispatchOf, type JobRun, type OnJobError, type RunJob, JobPerformer } from './job-performer.ts'
import { Leases } from './leases.ts'
import { LeaseEnds } from './lease-ends.ts'
import { startDueWorldPoller } from './due-world-poller.ts'
import { MailJobs, type MailSender } from './mail-jobs.ts'
import { createRunNow, createTimeTravel, releasePayments } from './time-travel.ts'
import { Takeover } from './takeover.ts'
import { WorldWorks } from './world-work.ts'

export interface Scheduler {
  /**
   * Leaps to `time` on the world's clock, which it can have, running what falls due on the way in due order, each job done before the
   * next is looked for, at most so many. Returns what ran.
   */
  advance(world: World, time: number, most?: number): Promise<readonly JobRun[]>
  /**
   * Goes from due job to due job until none is left that is due by `until`, or `most` have run. The clock ends at the last
   * one's time. Without `until` an offline collection that nobody has paid goes on waiting. Returns what ran.
   */
  settle(world: World, most?: number, until?: number): Promise<readonly JobRun[]>
  /** To be called when a world's clock was made to go at another pace, or on. */
  clockChanged(world: World): void
  /** Forgets what was owed in a world and takes up what it owes now; after its rows were replaced or dropped. */
  reload(name: string): Promise<void>
  /** Takes up what a world owes that was opened just now. */
  opened(name: string): Promise<void>
  /** Whether a world can be closed: nothing of it is under way here, or about to be. */
  isIdle(name: string): boolean
  /** Forgets what a world owes, which was closed here. */
  forget(name: string): void
  /** Does one job of a world now, or waits for it when it runs already; nothing when it is done. */
  runNow(world: World, job_id: number): Promise<void>
  /** How much goes over the network, and how much waits for that. */
  traffic(): { readonly running: number; readonly waiting: number }
  /** Starts nothing more and waits for what runs; jobs not done stay on record. */
  close(): Promise<void>
}

export interface SchedulerOptions {
  readonly store: Store
  /** Who else runs jobs of the store's worlds. */
  readonly jobs: JobQueue
  readonly wall: Wall
  /** A world that is open here. */
  readonly world: (name: string) => World | undefined
  /** The same, which it opens where it is not; those that are open are all there are when left out. */
  readonly open?: (name: string) => Promise<World | undefined>
  /** The worlds that are open at the start; all there are when left out. */
  readonly first?: readonly string[]
  readonly run: RunJob
  readonly dispatchOf: DispatchOf
  readonly onError: OnJobError
  /** How mails leave; they stay in the outbox when left out. */
  readonly mails?: MailSender | undefined
  /** How much goes over the network at once, where it is other than usual. */
  readonly limits?: Partial<ConcurrencyLimits>
}

/** A world whose jobs owe ever more jobs must not hold the caller for ever. */
const MOST_SETTLED = 100_000

/**
 * Watches the store for jobs and runs each when its world's clock reaches it, in worlds whose jobs no other process runs.
 *
 * - `WorldWorks` has what each open world owes, in due order, and what of it is under way.
 * - `Leases` says in which worlds this process may run jobs, and gives a world back that another process waits for.
 * - `Takeover` fills a world's queue from its rows when this process gets the world, and leaves it to another one.
 * - `Alarm` waits until the first job is due; `drain` then runs all that are, one world at a time.
 * - `Dispatcher` sends jobs that go over the network side by side, within limits; `JobPerformer` does each job.
 * - `time-travel` runs what falls due while somebody moves a world's clock; `due-world-poller` opens worlds with due jobs that no process has open.
 * - `MailJobs` does the same for mails, which go by the wall's time.
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
  const leases = new Leases({ runner, wall, isUnderWay, onLost, lookAgain, onError })
  const dispatcher = new Dispatcher({ works, leases, performer, limits: options.limits, onEnd })
  const alarm = new Alarm({
    works,
    wall,
    world,
    onDue: (world) => startDraining(world),
    onStandbyEnd: (name) => void takeover.takeUp(name, works.of(name)).catch(onError),
  })
  const { mails: sender } = options
  const mails = sender && new MailJobs({ store, wall, world, leases, sender, onError })
  const clockChanged = ({ name }: World) => {
    takeover.arm(name)
    runner.announce(name).catch(onError)
  }
  const leaseEnds = new LeaseEnds({ store, wall, world, onEnded: clockChanged, onError })
  const takeover = new Takeover({ store, wall, world, works, leases, dispatcher, alarm, mails, leaseEnds })
  const parts = { works, leases, dispatchOf, performer, dispatcher, runner, takeover, onEnd, onLost }
  const startDraining = createDrain(parts)
  const travel = createTimeTravel(parts)
  const stopWatching = store.onCommit((name, written) => takeover.onWritten(name, written))
  for (const name of options.first ?? (await store.worlds())) await takeover.load(name)
  const open = options.open ?? (async (name: string) => world(name))
  const stopLooking = startDueWorldPoller({ leases, takeover, wall, open, onError })

  return {
    advance: (world, until, most = MOST_SETTLED) =>
      travel(world, { until, most, leap: true, deadlines: true }),
    async settle(world, most = MOST_SETTLED, until = undefined) {
      // Whoever settles does not wait for watchers of phones who have just gone to come back.
      if (world.settings.payer === 'by_hand_while_watched') await releasePayments(world)
      return travel(world, { until: until ?? LAST_TIME, most, leap: false, deadlines: until !== undefined })
    },
    clockChanged,
    async reload(name) {
      await takeover.load(name)
      await runner.announce(name)
    },
    opened: (name) => takeover.load(name),
    isIdle: (name) => !isUnderWay(name) && !leases.has(name) && !takeover.isDueSoon(name),
    forget: (name) => works.forget(name),
    runNow: createRunNow(parts),
    traffic: () => dispatcher.traffic,
    async close() {
      works.closed = true
      stopLooking()
      alarm.clear()
      dispatcher.close()
      stopWatching()
      leaseEnds.close()
      await mails?.close()
      await performer.ended()
      await leases.close()
    },
  }
}
