import { HEARD } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { ConcurrencyLimiter, type ConcurrencyLimits } from './concurrency-limiter.ts'
import type { DueJob, JobPerformer } from './job-performer.ts'
import type { Leases } from './leases.ts'
import { type Dispatch, owedJob } from './job.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

interface QueuedJob {
  readonly world: World
  readonly work: WorldWork
  readonly id: number
  readonly at: number
  readonly series: string
}

/** How many callbacks are under way at a time. */
const LIMITS: ConcurrencyLimits = { perTarget: 64, perWorld: 128, total: 512 }

interface DispatcherOptions {
  readonly works: WorldWorks
  readonly leases: Leases
  readonly performer: JobPerformer
  /** Where they are other than usual. */
  readonly limits?: Partial<ConcurrencyLimits> | undefined
  /** Told when a job of a world has ended. */
  readonly onEnd: (world: World) => void
}

/** Does jobs that go over the network side by side, within limits. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #limiter: ConcurrencyLimiter<QueuedJob>

  constructor(options: DispatcherOptions) {
    this.#options = options
    const limits = { ...LIMITS, ...options.limits }
    this.#limiter = new ConcurrencyLimiter(limits, (entry) => this.#perform(entry))
  }

  /** Sends a job when the limits allow it. */
  add(world: World, work: WorldWork, { due, dispatch }: DueJob & { readonly dispatch: Dispatch }): void {
    const { target, series } = dispatch
    work.beginDispatch(series)
    this.#limiter.add(world.name, target, { world, work, ...due, series })
  }

  /** Puts what waits for its place back into the queue of its world. */
  takeBack(name: string, work: WorldWork): void {
    for (const { at, id, series } of this.#limiter.takeBack(name, (entry) => entry.work === work)) {
      work.endDispatch(series)
      work.queue.add({ at, id })
    }
  }

  /** Resolves when a job that goes past the limits may begin. */
  async inPace(name: string, dispatch: Dispatch | null): Promise<void> {
    const pause = this.#options.limits?.pause
    if (!pause || !dispatch) return
    const { target } = dispatch
    const { works } = this.#options
    for (let wait = pause(name, target); wait > 0 && !works.closed; wait = pause(name, target))
      await new Promise((resolve) => setTimeout(resolve, wait))
  }

  /** Whether jobs may have to wait for their pace. */
  get isPaced(): boolean {
    return this.#options.limits?.pause !== undefined
  }

  get traffic(): { readonly running: number; readonly waiting: number } {
    return { running: this.#limiter.running, waiting: this.#limiter.waiting }
  }

  close(): void {
    this.#limiter.close()
  }

  async #perform(entry: QueuedJob): Promise<void> {
    const { world, work, series } = entry
    try {
      await this.#performOwed(entry)
    } catch (error) {
      this.#options.performer.report(error, world, work)
    } finally {
      work.endDispatch(series)
      this.#options.onEnd(world)
    }
  }

  async #performOwed({ world, work, id, at }: QueuedJob): Promise<void> {
    const { works, leases, performer } = this.#options
    if (works.closed) return
    // The lease ran out while this waited: it is queued again, and claimed before it is sent.
    if (!leases.has(world.name)) return work.queue.add({ at, id })
    const owed = await world.read((look) => owedJob(look, id), HEARD)
    if (owed && works.isCurrent(world.name, work)) await performer.perform(world, work, owed)
  }
}
