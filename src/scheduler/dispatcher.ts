import { type ConcurrencyLimits, ConcurrencyLimiter } from '../callbacks/limits.ts'
import { HEARD } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { type Dispatch, type DueJob, type JobPerformer, readJob } from './job-performer.ts'
import type { JobOwnership } from './job-ownership.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

interface QueuedJob {
  readonly world: World
  readonly work: WorldWork
  readonly id: number
  readonly at: number
  readonly series: string
}

const LIMITS: ConcurrencyLimits = { perTarget: 64, perWorld: 128, total: 512 }

interface DispatcherOptions {
  readonly works: WorldWorks
  readonly ownership: JobOwnership
  readonly performer: JobPerformer
  readonly limits?: Partial<ConcurrencyLimits> | undefined
  readonly onEnd: (world: World) => void
}

/** Runs jobs that use the network concurrently, within limits. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #limiter: ConcurrencyLimiter<QueuedJob>

  constructor(options: DispatcherOptions) {
    this.#options = options
    const limits = { ...LIMITS, ...options.limits }
    this.#limiter = new ConcurrencyLimiter(limits, (entry) => this.#perform(entry))
  }

  add(world: World, work: WorldWork, { due, dispatch }: DueJob & { readonly dispatch: Dispatch }): void {
    const { target, series } = dispatch
    work.beginDispatch(series)
    this.#limiter.add(world.name, target, { world, work, ...due, series })
  }

  /** Puts waiting jobs back into the queue of their world. */
  takeBack(name: string, work: WorldWork): void {
    for (const { at, id, series } of this.#limiter.takeBack(name, (entry) => entry.work === work)) {
      work.endDispatch(series)
      work.queue.add({ at, id })
    }
  }

  /** Resolves when a job that bypasses the limits may start. */
  async inPace(name: string, dispatch: Dispatch | null): Promise<void> {
    const pause = this.#options.limits?.pause
    if (!pause || !dispatch) return
    const { target } = dispatch
    const { works } = this.#options
    for (let wait = pause(name, target); wait > 0 && !works.closed; wait = pause(name, target))
      await new Promise((resolve) => setTimeout(resolve, wait))
  }

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
      await this.#performIfDue(entry)
    } catch (error) {
      this.#options.performer.report(error, world, work)
    } finally {
      work.endDispatch(series)
      this.#options.onEnd(world)
    }
  }

  async #performIfDue({ world, work, id, at }: QueuedJob): Promise<void> {
    const { works, ownership, performer } = this.#options
    if (works.closed) return
    // The ownership expired in the meantime: the job is queued again, and the world claimed before it runs.
    if (!ownership.has(world.name)) return work.queue.add({ at, id })
    const job = await world.read((look) => readJob(look, id), HEARD)
    if (job && works.isCurrent(world.name, work)) await performer.perform(world, work, job)
  }
}
