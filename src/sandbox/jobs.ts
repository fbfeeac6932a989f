import type { Config } from '../config/config.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../lib/log/log.ts'
import { createMailSender } from './mail-sender.ts'
import { createDispatchOf, jobRunner } from '../scheduler/job-kinds.ts'
import { type Scheduler, type SchedulerOptions, startScheduler } from '../scheduler/scheduler.ts'
import { StoreUnavailable } from '../storage/store/store.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { CallbackSettings } from './callback-settings.ts'
import { callbackLimits } from './connections.ts'
import type { Delivery } from './delivery.ts'
import { mailRules } from './mails.ts'
import type { Time } from './time.ts'

/** What jobs are run with. */
interface JobParts {
  readonly config: Config
  readonly engine: Engine
  readonly worlds: Worlds
  readonly callbacks: CallbackSettings
  readonly delivery: Delivery
  /** How many connections callbacks may have at once. */
  readonly connections: number
  readonly metrics: Metrics | undefined
  readonly time: Time
  readonly log: Log
}

/** Runs what falls due, and takes it up again when the store recovers or a world's rows are replaced. */
export async function startJobs(parts: JobParts): Promise<Scheduler> {
  const { config, engine, worlds, callbacks, delivery, metrics, time, log } = parts
  const { wall } = time
  const run = jobRunner(delivery.deliver, ({ name }, why) =>
    log.warn('planned change refused', { world: name, why }),
  )
  const scheduler = await startScheduler({
    store: engine.store,
    jobs: engine.jobs,
    wall,
    mails:
      config.smtpUrl === null ? undefined : await createMailSender(config.smtpUrl, mailRules(config), log),
    world: worlds.get,
    open: worlds.find,
    first: worlds.all().map(({ name }) => name),
    run(world, job, generation) {
      metrics?.late(job.task.kind, world.clock.now() - job.due_at)
      return run(world, job, generation)
    },
    dispatchOf: createDispatchOf(callbacks.rewrites, delivery.isInbox),
    limits: callbackLimits(config, parts.connections, wall, log),
    onError: jobErrorLog(log),
  })
  const notTakenUp = (error: unknown) => log.error('work not taken up', { message: String(error) })
  worlds.onOpened(({ name }) => scheduler.opened(name).catch(notTakenUp))
  worlds.onReplaced((name) => scheduler.reload(name))
  const stopRecovering = engine.store.onRecovered(() => {
    worlds.reread()
    for (const { name } of worlds.all()) scheduler.reload(name).catch(notTakenUp)
  })
  return {
    ...scheduler,
    async close() {
      await scheduler.close()
      stopRecovering()
    },
  }
}

const jobErrorLog =
  (log: Log): SchedulerOptions['onError'] =>
  (error, job, next_at) => {
    // The store has said so itself, and what is owed is taken up again when it recovers.
    if (error instanceof StoreUnavailable) return
    log.error(next_at === null ? 'job given up' : 'job failed', {
      job,
      message: String(error),
      ...(next_at && { next_attempt_at: exactTime(next_at) }),
    })
  }
