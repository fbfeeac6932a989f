import { later, type Wall } from '../lib/clock/clock.ts'
import type { Runner } from '../storage/engine/job-queue.ts'
import type { Store, RowChange } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import type { Dispatcher, DispatchOf, JobPerformer } from './job-performer.ts'
import type { JobOwnership } from './job-ownership.ts'
import { type Alarm, dueIn, queueWritten, type WorldWorks, WallTimer } from './world-work.ts'
import type { MailJobs } from './mail-jobs.ts'
import { type Lease, endLease, leaseIn } from '../worlds/lease.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { LEASE_STATE } from '../worlds/settings.ts'

interface TakeoverParts {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  readonly works: WorldWorks
  readonly ownership: JobOwnership
  readonly dispatcher: Dispatcher
  readonly alarm: Alarm
  readonly mails: MailJobs | undefined
  readonly leaseEnds: LeaseEnds
}

/** How long a world without jobs is not looked at, milliseconds. */
const LOOKED_AT_AGAIN = 600_000
/** A world stays open if a job is due within this many milliseconds. */
const SOON = 60_000

export type Takeover = ReturnType<typeof createTakeover>

/** Takes over the jobs of worlds, and leaves them to other processes. */
export function createTakeover(parts: TakeoverParts) {
  const { store, wall, world, works, ownership, dispatcher, alarm, mails, leaseEnds } = parts

  /** Reads the jobs of a world anew, discarding what was known. */
  async function load(name: string): Promise<void> {
    works.forget(name)
    if (world(name)) await takeUp(name)
  }

  async function takeUp(name: string, work = works.of(name)): Promise<void> {
    // `onWritten` queues new jobs in the meantime, so none is missed. A job that is queued twice runs once.
    await work.load(store, name)
    await mails?.load(name)
    await leaseEnds.load(name)
    arm(name)
  }

  function arm(name: string): void {
    const open = world(name)
    if (open) alarm.set(open)
  }

  return {
    load,
    takeUp,
    /** Leaves a world to another process until at least that time, milliseconds in real time. */
    leave(name: string, until: number): void {
      const work = works.of(name)
      dispatcher.takeBack(name, work)
      work.standBy(until)
      arm(name)
    },
    /** Checks a world that another process released or changed. */
    async look(name: string): Promise<void> {
      ownership.wake(name)
      if (works.closed || !world(name)) return
      const work = works.of(name)
      // A read also applies the changes of other processes.
      const generation = await store.read(name, (rows) => rows.generation)
      if (!works.isCurrent(name, work)) return
      if (work.generation !== undefined && work.generation !== generation) await load(name)
      else if (work.isStale && work.activity !== 'travelling') await takeUp(name)
      else arm(name)
    },
    /** Releases a world to another process as soon as its running jobs have ended. */
    onRequested(name: string): void {
      ownership.noteRequest(name)
      if (!ownership.isRequested(name)) return
      dispatcher.takeBack(name, works.of(name))
      ownership.yield(name)
    },
    /** Call it after each job: another process may wait for the world, and the next job may be due sooner. */
    onEnded(name: string): void {
      ownership.yield(name)
      arm(name)
    },
    /** Returns when the next job of an idle world is due, milliseconds in real time, or undefined if unknown. */
    lookAgain(name: string): number | undefined {
      const work = works.get(name)
      const open = world(name)
      if (!open || work?.jobs !== 'queued') return undefined
      const first = Math.min(dueIn(open, work), mails?.firstOf(name) ?? Infinity, leaseEnds.of(name))
      return first === Infinity && open.clock.state.speed !== 0 ? wall() + LOOKED_AT_AGAIN : first
    },
    /** Returns whether a job is due so soon that the world should stay open. */
    isDueSoon(name: string): boolean {
      const [open, work] = [world(name), works.get(name)]
      return open !== undefined && work !== undefined && dueIn(open, work) <= wall() + SOON
    },
    /** Queues the jobs that a change wrote. Worlds that are not open are read when they are opened. */
    onWritten(name: string, written: readonly RowChange[]): void {
      if (!world(name)) return
      leaseEnds.onWritten(name, written)
      if (queueWritten(written, () => works.of(name))) arm(name)
      mails?.onWritten(name, written)
    },
    arm,
  }
}

interface DueWorldPollerOptions {
  readonly ownership: JobOwnership
  readonly takeover: Takeover
  readonly wall: Wall
  readonly open: (name: string) => Promise<World | undefined>
  readonly onError: (error: unknown) => void
}

const AFTER_FAILURE = 1_000

/** Opens worlds with due jobs that no process has open. Returns a function that stops it. */
export function startDueWorldPoller({
  ownership,
  takeover,
  wall,
  open,
  onError,
}: DueWorldPollerOptions): () => void {
  let closed = false
  let cancel = () => {}
  const takeUp = async (name: string) => {
    if (await open(name)) await takeover.takeUp(name)
    else await ownership.release(name)
  }
  const look = async () => {
    const { claimed, next } = await ownership.claimDue()
    // The ownership of a world that cannot be opened expires.
    await Promise.all(claimed.map(({ world }) => takeUp(world).catch(onError)))
    return next - wall()
  }
  const lookIn = (ms: number) => {
    if (closed || ms === Infinity) return
    cancel = later(Math.max(ms, 0), () => {
      look()
        .catch((error: unknown) => {
          onError(error)
          return AFTER_FAILURE
        })
        .then(lookIn, onError)
    })
  }
  lookIn(0)
  return () => {
    closed = true
    cancel()
  }
}

/** The parts that run jobs. */
export interface SchedulerParts {
  readonly works: WorldWorks
  readonly ownership: JobOwnership
  readonly dispatchOf: DispatchOf
  readonly performer: JobPerformer
  readonly dispatcher: Dispatcher
  readonly runner: Runner
  readonly takeover: Takeover
  /** Called when another process owns the world until at least that time, milliseconds in real time. */
  readonly onLost: (world: string, until: number) => void
  readonly onEnd: (world: World) => void
}

interface LeaseEndsOptions {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  /** Called when the world's clock may have changed. */
  readonly onEnded: (world: World) => void
  readonly onError: (error: unknown) => void
}

const AFTER_UNENDED = 10_000

export type LeaseEnds = ReturnType<typeof createLeaseEnds>

/**
 * Ends expired world leases, in real time, since the world's clock may be stopped. Every process that has the world open tries: the
 * change checks the row, so that a lease ends once.
 */
export function createLeaseEnds({ store, wall, world: worldOf, onEnded, onError }: LeaseEndsOptions) {
  /** When each lease ends, by world. There are few. */
  const ends = new Map<string, number>()
  const timer = new WallTimer(wall, ring, false)

  async function load(name: string): Promise<void> {
    note(name, await store.read(name, (rows) => rows.get('state', LEASE_STATE)))
  }

  function note(name: string, row: StateRow | undefined): void {
    if (row) ends.set(name, (row.value as Lease).until)
    else if (!ends.delete(name)) return
    arm()
  }

  function arm(): void {
    timer.ringAt(Math.min(...ends.values()))
  }

  function ring(): void {
    const now = wall()
    for (const [name, until] of ends) {
      if (until > now) continue
      const open = worldOf(name)
      // Otherwise the process that opens the world ends it.
      if (open) {
        ends.set(name, now + AFTER_UNENDED)
        endExpired(open).catch((error: unknown) => {
          if (!open.closed) onError(error)
        })
      } else ends.delete(name)
    }
    arm()
  }

  async function endExpired(world: World): Promise<void> {
    const ended = await world.changeClock((tx) => {
      const lease = leaseIn(tx)
      if (!lease || lease.until > world.clock.wall()) return false
      endLease(world, tx)
      return true
    })
    if (ended) onEnded(world)
    else await load(world.name)
  }

  return {
    load,
    onWritten(name: string, written: readonly RowChange[]): void {
      for (const { table, key, row } of written)
        if (table === 'state' && key === LEASE_STATE) note(name, row as StateRow | undefined)
    },
    /** Returns when the lease of a world ends, milliseconds in real time, or Infinity if there is none. */
    of: (name: string): number => ends.get(name) ?? Infinity,
    close(): void {
      timer.close()
    },
  }
}
