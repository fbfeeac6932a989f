import type { Wall } from '../clock.ts'
import type { Store, RowChange } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import type { Alarm } from './alarm.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { LeaseEnds } from './lease-ends.ts'
import type { Leases } from './leases.ts'
import { queueAll, queueWritten } from './load.ts'
import type { MailJobs } from './mail-jobs.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

export interface TakeoverParts {
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

/** Until a world is looked at again that owes what nobody here knows how to do, milliseconds. */
const LOOKED_AT_AGAIN = 600_000
/** What is due so soon is worth keeping its world open, milliseconds. */
const SOON = 60_000

/** What worlds owe becomes this process's work, and another runner's. */
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

  /** Takes up what a world owes that another runner has had. */
  async takeUp(name: string, work: WorldWork): Promise<void> {
    work.standbyUntil = undefined
    // There before the rows are read, so that a job owed meanwhile is not missed; one seen twice runs once.
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

  /** Another runner has left a world, changed it, set its clock otherwise or put other rows in the place of its own. */
  async look(name: string): Promise<void> {
    const { works, leases, store, world } = this.#parts
    leases.wake(name)
    if (works.closed || !world(name)) return
    const work = works.of(name)
    // What others have written is heard of before a read.
    const generation = await store.read(name, (rows) => rows.generation)
    if (!works.isCurrent(name, work)) return
    const isUnread = work.generation === undefined || work.standbyUntil !== undefined
    if (work.generation !== undefined && work.generation !== generation) await this.load(name)
    else if (isUnread && !work.timeTravel) await this.takeUp(name, work)
    else this.arm(name)
  }

  /** Another runner waits for a world: what has not begun is left to it. */
  onRequested(name: string): void {
    const { works, leases, dispatcher } = this.#parts
    leases.noteRequest(name)
    if (!leases.isRequested(name)) return
    dispatcher.takeBack(name, works.of(name))
    leases.yield(name)
  }

  /** Something of a world has ended: somebody may wait for it, and what is due next may be due sooner. */
  onEnded(name: string): void {
    this.#parts.leases.yield(name)
    this.arm(name)
  }

  /** The lease on a world is this process's since it owes something that nobody came to, as its rows say. */
  claimed(name: string): Promise<void> {
    return this.takeUp(name, this.#parts.works.of(name))
  }

  /** When a world is worth a look again that has nothing under way, milliseconds on the wall; undefined where that is not known. */
  lookAgain(name: string): number | undefined {
    const { world, works, mails, leaseEnds, wall } = this.#parts
    const work = works.get(name)
    const open = world(name)
    if (!open || work?.generation === undefined || work.loading || work.standbyUntil !== undefined)
      return undefined
    const first = Math.min(dueIn(open, work), mails?.firstOf(name) ?? Infinity, leaseEnds.of(name))
    return first === Infinity && open.clock.state.factor !== 0 ? wall() + LOOKED_AT_AGAIN : first
  }

  isDueSoon(name: string): boolean {
    const { world, works, wall } = this.#parts
    const [open, work] = [world(name), works.get(name)]
    return open !== undefined && work !== undefined && dueIn(open, work) <= wall() + SOON
  }

  /** Takes note of jobs that a change owes; where the world is not open, it is read what it owes when it is opened. */
  onWritten(name: string, written: readonly RowChange[]): void {
    const { works, world, mails, leaseEnds } = this.#parts
    if (!world(name)) return
    leaseEnds.onWritten(name, written)
    if (queueWritten(written, () => works.of(name))) this.arm(name)
    mails?.onWritten(name, written)
  }

  arm(name: string): void {
    const world = this.#parts.world(name)
    if (world) this.#parts.alarm.set(world)
  }
}

/** When the first job of a world is due, milliseconds on the wall; Infinity when none is by itself. */
const dueIn = ({ clock }: World, { queue }: WorldWork): number =>
  queue.first && clock.state.factor !== 0 ? clock.wallTimeOf(queue.first.at) : Infinity
