import type { Wall } from '../lib/clock/clock.ts'
import type { Store, RowChange } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import type { Alarm } from './drain.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { LeaseEnds } from './lease-ends.ts'
import type { Leases } from './leases.ts'
import { queueAll, queueWritten, type WorldWork, type WorldWorks } from './world-work.ts'
import type { MailJobs } from './mail-jobs.ts'

interface TakeoverParts {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  readonly works: WorldWorks
  readonly leases: Leases
  readonly dispatcher: Dispatcher
  readonly alarm: Alarm
  readonly mails: MailJobs | undefined
  readonly leaseEnds: LeaseEnds
}

/** How long a world is left alone whose clock runs and which owes nothing, milliseconds. */
const LOOKED_AT_AGAIN = 600_000
/** A world stays open when a job of it is due within so many milliseconds. */
const SOON = 60_000

/** Takes up what worlds owe as this process's work, and leaves it to another process that runs their jobs. */
export class Takeover {
  readonly #parts: TakeoverParts

  constructor(parts: TakeoverParts) {
    this.#parts = parts
  }

  /** Forgets what was owed in a world and takes up what it owes now. */
  async load(name: string): Promise<void> {
    const { works, world } = this.#parts
    works.forget(name)
    if (world(name)) await this.takeUp(name, works.of(name))
  }

  /** Reads what a world owes from its rows; another process may have run its jobs until now. */
  async takeUp(name: string, work: WorldWork): Promise<void> {
    work.standbyUntil = undefined
    // `onWritten` hears of jobs already while the rows are read, so that none is missed. A job that is queued twice runs once.
    work.loading = queueAll(this.#parts.store, name, work).finally(() => (work.loading = undefined))
    await work.loading
    await this.#parts.mails?.load(name)
    await this.#parts.leaseEnds.load(name)
    this.arm(name)
  }

  /** Leaves a world's jobs to another runner until then at least, milliseconds on the wall. */
  leave(name: string, until: number): void {
    const { works, dispatcher } = this.#parts
    const work = works.of(name)
    dispatcher.takeBack(name, work)
    work.standBy(until)
    this.arm(name)
  }

  /** Another process has left a world, changed it, set its clock otherwise or replaced its rows: looks what there is to do. */
  async look(name: string): Promise<void> {
    const { works, leases, store, world } = this.#parts
    leases.wake(name)
    if (works.closed || !world(name)) return
    const work = works.of(name)
    // A read first takes over what other processes have written.
    const generation = await store.read(name, (rows) => rows.generation)
    if (!works.isCurrent(name, work)) return
    const isUnread = work.generation === undefined || work.standbyUntil !== undefined
    if (work.generation !== undefined && work.generation !== generation) await this.load(name)
    else if (isUnread && !work.timeTravel) await this.takeUp(name, work)
    else this.arm(name)
  }

  /** Another process waits for a world: it gets it once what has begun here has ended. */
  onRequested(name: string): void {
    const { works, leases, dispatcher } = this.#parts
    leases.noteRequest(name)
    if (!leases.isRequested(name)) return
    dispatcher.takeBack(name, works.of(name))
    leases.yield(name)
  }

  /** To be called when a job of a world has ended: another process may wait for the world, and the next job may be due sooner. */
  onEnded(name: string): void {
    this.#parts.leases.yield(name)
    this.arm(name)
  }

  /** To be called when this process has got the lease on a world whose jobs nobody ran. */
  claimed(name: string): Promise<void> {
    return this.takeUp(name, this.#parts.works.of(name))
  }

  /** When the next job of a world is due that has nothing under way, milliseconds on the wall; undefined where that is not known. */
  lookAgain(name: string): number | undefined {
    const { world, works, mails, leaseEnds, wall } = this.#parts
    const work = works.get(name)
    const open = world(name)
    if (!open || work?.generation === undefined || work.loading || work.standbyUntil !== undefined)
      return undefined
    const first = Math.min(dueIn(open, work), mails?.firstOf(name) ?? Infinity, leaseEnds.of(name))
    return first === Infinity && open.clock.state.factor !== 0 ? wall() + LOOKED_AT_AGAIN : first
  }

  /** Whether a job of a world is due so soon that the world had better stay open. */
  isDueSoon(name: string): boolean {
    const { world, works, wall } = this.#parts
    const [open, work] = [world(name), works.get(name)]
    return open !== undefined && work !== undefined && dueIn(open, work) <= wall() + SOON
  }

  /** Queues the jobs that a change has written. For a world that is not open there is nothing to do: its rows are read when it is opened. */
  onWritten(name: string, written: readonly RowChange[]): void {
    const { works, world, mails, leaseEnds } = this.#parts
    if (!world(name)) return
    leaseEnds.onWritten(name, written)
    if (queueWritten(written, () => works.of(name))) this.arm(name)
    mails?.onWritten(name, written)
  }

  /** Sets the alarm for the first job of a world. */
  arm(name: string): void {
    const world = this.#parts.world(name)
    if (world) this.#parts.alarm.set(world)
  }
}

/** When the first job of a world is due, milliseconds on the wall; Infinity when none is by itself. */
const dueIn = ({ clock }: World, { queue }: WorldWork): number =>
  queue.first && clock.state.factor !== 0 ? clock.wallTimeOf(queue.first.at) : Infinity
