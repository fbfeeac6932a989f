import { DelayedError } from '../callbacks/deliver.ts'
import { boundedTime } from '../lib/clock/bounds.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { World } from '../worlds/world.ts'
import { postpone } from './failed-job.ts'
import { type OnJobError, type OwedJob, type RunJob } from './job.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

/** Until a job is tried again whose failure could not be written, milliseconds on the world's clock. */
const UNWRITTEN_GAP = 60_000

/** Does jobs one by one and plans anew those that fail. Nothing here throws for a job. */
export class JobPerformer {
  readonly #works: WorldWorks
  readonly #run: RunJob
  readonly #onError: OnJobError
  readonly #running = new Set<Promise<unknown>>()

  constructor(works: WorldWorks, run: RunJob, onError: OnJobError) {
    this.#works = works
    this.#run = run
    this.#onError = onError
  }

  /** Does a job, or waits for it when it runs already; answers what came of it. */
  perform(world: World, work: WorldWork, owed: OwedJob): Promise<string> {
    const { job, generation } = owed
    const already = work.running.get(job.id)
    if (already) return already
    const running = this.#run(world, job, generation)
      .catch((error: unknown) =>
        error instanceof DelayedError ? delay(world, work, owed, error) : this.fail(world, work, owed, error),
      )
      .finally(() => {
        work.running.delete(job.id)
        this.#running.delete(running)
      })
    work.running.set(job.id, running)
    this.#running.add(running)
    return running
  }

  /** Plans a job that failed anew. Where that cannot be written either, it is queued again in this process alone. */
  async fail(world: World, work: WorldWork, owed: OwedJob, error: unknown): Promise<string> {
    const said = `failed: ${String(error)}`
    if (!this.#works.isCurrent(world.name, work)) return said
    const { job, generation } = owed
    try {
      const next_at = await postpone(world, job, generation, error)
      this.report(error, world, work, owed, next_at)
      return `${said}; ${next_at === null ? 'given up' : `next attempt ${exactTime(next_at)}`}`
    } catch (unwritten) {
      this.report(error, world, work, owed)
      this.report(unwritten, world, work, owed)
      work.defer({ at: boundedTime(world.clock.now() + UNWRITTEN_GAP), id: job.id })
      return said
    }
  }

  /** Reports an error, unless it came of the store being closed or the world being reset meanwhile. */
  report(error: unknown, world: World, work: WorldWork, owed?: OwedJob, next_at?: number | null): void {
    if (this.#works.isCurrent(world.name, work)) this.#onError(error, owed?.job, next_at)
  }

  /** Resolves when what runs now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }
}

/** Comes back later to a job that may not be done just now. */
function delay(world: World, work: WorldWork, { job }: OwedJob, { wait, message }: DelayedError): string {
  work.defer({ at: world.clock.now() + Math.ceil(wait * world.clock.state.factor), id: job.id })
  return message
}
