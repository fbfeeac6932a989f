import type { Store, RowChange } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import type { Alarm } from './alarm.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Leases } from './leases.ts'
import { queueAll, queueWritten } from './load.ts'
import type { MailJobs } from './mail-jobs.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

export interface TakeoverParts {
  readonly store: Store
  readonly world: (name: string) => World | undefined
  readonly works: WorldWorks
  readonly leases: Leases
  readonly dispatcher: Dispatcher
  readonly alarm: Alarm
  readonly mails: MailJobs | undefined
}

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
    if (world(name)) await this.from(name, works.of(name))
  }

  /** Takes up what a world owes that another runner has had. */
  async from(name: string, work: WorldWork): Promise<void> {
    work.followedUntil = undefined
    // There before the rows are read, so that a job owed meanwhile is not missed; one seen twice runs once.
    work.loading = queueAll(this.#parts.store, name, work).finally(() => (work.loading = undefined))
    await work.loading
    await this.#parts.mails?.load(name)
    this.arm(name)
  }

  /** Leaves a world's jobs to another runner until then at least, milliseconds on the wall. */
  by(name: string, until: number): void {
    const { works, dispatcher } = this.#parts
    const work = works.of(name)
    dispatcher.takeBack(name, work)
    work.follow(until)
    this.arm(name)
  }

  /** Another runner has left a world, set its clock otherwise or put other rows in the place of its own. */
  async look(name: string): Promise<void> {
    const { works, leases, store, world } = this.#parts
    leases.wake(name)
    const work = works.get(name)
    if (!work || !world(name) || works.closed) return
    const generation = await store.read(name, (rows) => rows.generation)
    if (!works.isCurrent(name, work)) return
    if (work.generation !== undefined && work.generation !== generation) await this.load(name)
    else if (work.followedUntil !== undefined && !work.timeTravel) await this.from(name, work)
    else this.arm(name)
  }

  /** Another runner waits for a world: what has not begun is left to it. */
  wanted(name: string): void {
    const { works, leases, dispatcher } = this.#parts
    leases.want(name)
    dispatcher.takeBack(name, works.of(name))
    leases.yield(name)
  }

  /** Something of a world has ended: somebody may wait for it, and what is due next may be due sooner. */
  ended(name: string): void {
    this.#parts.leases.yield(name)
    this.arm(name)
  }

  /** Takes note of jobs that a change owes. */
  written(name: string, written: readonly RowChange[]): void {
    const { works, mails } = this.#parts
    if (queueWritten(written, () => works.of(name))) this.arm(name)
    mails?.written(name, written)
  }

  arm(name: string): void {
    const world = this.#parts.world(name)
    if (world) this.#parts.alarm.set(world)
  }
}
