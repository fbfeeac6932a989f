import { type ClockState, createClock } from '../../src/lib/clock/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { addJob, type Look } from '../../src/service/domain/context.ts'
import { defaultCosts } from '../../src/service/domain/costs.ts'
import { defaultTiers } from '../../src/service/domain/wallets.ts'
import { surfaceError } from '../../src/lib/listeners.ts'
import { createMemoryEngine, memoryJobQueue } from '../../src/storage/engine/memory/engine.ts'
import { type SchedulerOptions, startScheduler } from '../../src/scheduler/scheduler.ts'
import { createStore } from '../../src/storage/store/low-store.ts'
import type { JobRow } from '../../src/storage/store/payment-rows.ts'
import { noLimits } from '../../src/worlds/budget.ts'
import { World } from '../../src/worlds/world.ts'

export const START = Date.parse('2026-06-13T12:00:00Z')

export const still: ClockState = { real_anchor: START, world_anchor: START, speed: 0 }

/** Options of a scheduler over worlds whose jobs are numbers; runs are recorded with the world's time. */
export async function setUpScheduler(clock?: ClockState, names = ['demo']) {
  const store = await createStore()
  const config = readConfig({})
  const settings = {
    settle_after: config.settleAfter,
    review_after: 0,
    callback_shape: config.callbackShape,
    signatures: config.signatures,
    retry_profile: config.retryProfile,
    retry_speed: config.retrySpeed,
    retry_jitter: config.retryJitter,
    callback_timeout: config.callbackTimeout,
    validation: config.validation,
    generation: config.generation,
    realism: config.realism,
    retention: config.retention,
    tiers: defaultTiers,
    costs: defaultCosts,
  }
  const worlds = new Map<string, World>()
  for (const name of names) {
    await store.load(name, {})
    const own = createClock(() => Date.now(), clock)
    worlds.set(
      name,
      new World({
        name,
        engine: { ...(await createMemoryEngine()), store },
        clock: own,
        seed: 's',
        settings: () => settings,
        number: 1,
        requestLogSize: 1_000,
        rows: {},
        onError: surfaceError,
        limitsOf: () => ({ limits: noLimits }),
      }),
    )
  }
  const ran: string[] = []
  const onRun: {
    effect: (world: World, job: JobRow) => Promise<void>
    placing: (job: JobRow) => void
  } = { effect: async () => {}, placing: () => {} }
  const errors: string[] = []
  const again: (number | null | undefined)[] = []
  const labelOf = (job: JobRow) => (job.task.kind === 'review' ? job.task.kyc_id : job.task.kind)
  const options: SchedulerOptions = {
    store,
    jobs: memoryJobQueue(),
    wall: () => Date.now(),
    world: (name: string) => worlds.get(name),
    async run(world: World, job: JobRow) {
      ran.push(`${labelOf(job)} at ${world.clock.now() - START}`)
      await onRun.effect(world, job)
      await world.change((tx) => tx.rows.delete('jobs', job.id))
      return 'done'
    },
    // The tens of a callback's number are its target, the hundreds its series; other jobs run in turn.
    dispatchOf: (_: Look, job: JobRow) => {
      onRun.placing(job)
      const { task } = job
      return task.kind === 'callback'
        ? { target: `${task.callback_id % 10}`, series: `${Math.floor(task.callback_id / 100)}`, held: false }
        : null
    },
    onError: (error: unknown, job?: JobRow, next_at?: number | null) => {
      errors.push(`${job && labelOf(job)}: ${String(error)}`)
      again.push(next_at && next_at - START)
    },
  }
  const owe = (after: number, label: number, world = worlds.get('demo')!) =>
    world.change((tx) =>
      addJob(tx, after, { kind: 'review', kyc_id: label, revision: 1, status: 'approved' }),
    )
  const start = (change: Partial<SchedulerOptions> = {}) => startScheduler({ ...options, ...change })
  return {
    options,
    start,
    worlds,
    world: worlds.get('demo')!,
    ran,
    errors,
    again,
    onRun,
    owe,
    store,
  }
}
