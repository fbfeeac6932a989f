import type { AddressInfo } from 'node:net'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Config } from '../config/config.ts'
import { processSettings } from '../control/dependencies.ts'
import type { Seed } from '../generated/control/types.ts'
import { createChaos } from '../http/chaos.ts'
import { hostGuard } from '../http/cross-origin.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { later, type Wall } from '../lib/clock/clock.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import { createRandom } from '../lib/random/random.ts'
import { urlOf } from '../lib/text/is-url.ts'
import { openScenarios } from '../scenarios/load.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { StoreOptions } from '../storage/store/low-store.ts'
import type { CallbackRow, TransactionRow } from '../storage/store/payment-rows.ts'
import type { KycRow, TeamRow } from '../storage/store/rows.ts'
import type { RowChange } from '../storage/store/change.ts'
import { createApp } from './app.ts'
import { type Base, createTime, type TimeOptions } from './base.ts'
import { createMailer, joinDelivery, type Transports, startJobs } from './jobs.ts'
import { openEngine } from './engine.ts'
import { type InitialState, readInitialState } from './initial-state.ts'
import { CLOSED, connectionLimits, createListener, inwardLimit, namesOf } from './listener.ts'
import { forwardBetween, joinProcesses } from './processes.ts'
import { startCalendar } from './calendar.ts'
import { memoryLimit, openConfiguredWorlds, startClosing, startSweeping } from './worlds.ts'

export { UnusableFile } from '../storage/store/low-store.ts'

export interface Parts extends Transports, Pick<TimeOptions, 'monotonic' | 'clock'> {
  readonly config: Config
  readonly log: Log
  /** Real time in milliseconds. */
  readonly wall?: Wall
  /** The seed of worlds; by default that of the seed file or the built-in one. */
  readonly seed?: Seed
  /** Whether to do calendar work (SANDBOX_RESET_CRON, low-balance mails); true by default. */
  readonly calendar?: boolean
  /** Ends the process when `/__admin/shutdown` is called; does nothing by default. */
  readonly stop?: () => void
  /** Scenarios that take precedence over loaded ones. */
  readonly scenarios?: readonly Scenario[]
  /** Waits before a response that a scenario delays; in real time by default. */
  readonly pause?: (ms: number) => Promise<void>
  readonly storeParts?: Pick<StoreOptions, 'ticks' | 'open'>
  /** Stores everything; by default the configured engine. The caller closes it, and may share it. */
  readonly engine?: Engine
  /** Returns the growth of the heap since the start, in a process that only runs the sandbox. */
  readonly heapGrowth?: (() => number) | undefined
}

export type Sandbox = Awaited<ReturnType<typeof joinParts>>

/** How long running requests may take when the sandbox closes, in milliseconds. */
const GRACE = 700

const CLOSING = 'The sandbox is shutting down.'

/** Opens the engine, and builds the sandbox on it. */
export async function createSandbox(parts: Parts): Promise<Sandbox> {
  const { config, log } = parts
  const initial = await readInitialState(config, log, parts.seed)
  if (parts.engine) return joinParts(parts, initial, parts.engine)
  const engine = await openEngine(config, log, listenerErrorLog(log), parts.storeParts ?? {})
  try {
    return await joinParts(parts, initial, engine)
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Builds and joins the parts of the folder `sandbox/`. */
async function joinParts(parts: Parts, initial: InitialState, engine: Engine) {
  const { config, log, pause = waitInRealTime, stop = () => {} } = parts
  const { wall: date, monotonic, clock } = parts
  const time = createTime({ date, shared: engine.wall, monotonic, clock })
  const base: Base = { config, engine, initial, time, log }
  const stopLogging = log.writes('info') ? engine.store.onCommit(stateLog(log)) : () => {}
  const { worlds, rows } = await openConfiguredWorlds(base, listenerErrorLog(log), parts.heapGrowth)
  const metrics: Metrics | undefined =
    config.metrics === 'on'
      ? await createMetrics({
          worlds,
          // The scheduler is created below, and reports delays to the metrics.
          traffic: () => scheduler.traffic(),
          wall: time.wall,
          measures: engine.measures,
          limits: { worlds: config.maxWorlds, bytes: memoryLimit(config.maxMemory) },
        })
      : undefined
  const stopMeasuring = metrics ? engine.store.onCommit((_, written) => metrics.written(written)) : () => {}
  const { inward, out } = connectionLimits(config, log)
  const delivery = joinDelivery(base, worlds, out, parts)
  const mailer = config.smtpUrl === null ? undefined : createMailer(config.smtpUrl, config.mailFrom)
  const scheduler: Scheduler = await startJobs(base, worlds, delivery, out, metrics, mailer)
  const stopClosing = engine.isRemote ? startClosing(base, worlds, scheduler) : () => {}
  const stopSweeping = startSweeping(base, worlds)

  const scenarios = await openScenarios(config.scenarios, log, parts.scenarios ?? [])
  const { library } = scenarios
  const { isOurs, isProxy, reached } = namesOf(config)
  joinProcesses(engine.processes, config, initial.seed, library, log)
  const chaos = createChaos(createRandom(config.seed), pause)
  const shared = processSettings(engine.settings, initial.defaults, chaos)
  let closing: string | undefined
  const app = createApp({
    ...base,
    worlds,
    rows,
    scheduler,
    delivery,
    mailer,
    library,
    metrics,
    chaos,
    processSettings: shared,
    isOurs,
    isProxy,
    unavailable: () => closing ?? engine.store.unavailable?.message,
    pause,
    stop,
    createSandbox,
  })
  const listener = createListener(app, {
    port: config.port,
    host: config.host,
    limit: inwardLimit(config, { inward, isProxy }, time.wall, log),
    guard: hostGuard(config.allowedHosts, isOurs),
    reached,
    forwardAt: forwardBetween(engine, config, worlds.home, metrics),
  })
  const hasCalendar = (parts.calendar ?? true) && time.isSystem
  const stopCalendar = hasCalendar ? startCalendar(base, worlds) : async () => {}

  return {
    /** Responds to a request without a port. @throws TypeError if a scenario cuts the connection */
    fetch: listener.fetch,
    /** Returns an application that can be mounted in another. */
    async app(): Promise<OpenAPIHono> {
      const { createOpenApiApp } = await import('../http/openapi-app.ts')
      const served = config.extensions === 'on'
      const more = served ? (await import('../generated/extensions/routes.ts')).routes : {}
      return createOpenApiApp(listener.fetch, more)
    },
    /** Returns the current scenarios of the process. */
    library,
    guide: initial.guide,
    worlds,
    scheduler,
    /** Opens a port, by default the configured one. @throws if the port is in use */
    async listen(port?: number): Promise<AddressInfo> {
      const address = await listener.listen(port)
      delivery.logStart()
      return address
    },
    /**
     * Rejects new requests, waits briefly for running ones, and keeps pending jobs. If a port is open, `/readyz` first
     * announces the shutdown for SANDBOX_SHUTDOWN_DELAY.
     */
    async close(): Promise<void> {
      closing = CLOSING
      if (!parts.engine) engine.owners?.retire()
      const { shutdownDelay } = config
      if (shutdownDelay > 0 && listener.leave()) await waitInRealTime(shutdownDelay)
      listener.refuse()
      stopSweeping()
      stopClosing()
      // Otherwise event streams and waiting requests would keep the port open.
      worlds.close(CLOSED)
      await listener.close(Math.max(GRACE, shutdownDelay))
      await stopCalendar()
      const closeConnections = delivery.closeIn(shutdownDelay)
      scenarios.close()
      await scheduler.close()
      closeConnections()
      worlds.stop()
      shared.stop()
      stopLogging()
      stopMeasuring()
      if (!parts.engine) await engine.close()
    },
  }
}

/** Logs each change of state. */
const stateLog = (log: Log) => (world: string, written: readonly RowChange[]) => {
  for (const { table, key, row } of written) {
    if (table === 'transactions' && row) {
      const { reference, status, reason, operation, kept_from } = row as TransactionRow
      // The row was only archived.
      if (kept_from !== undefined) continue
      log.info('transaction', { world, reference, status, reason, operation })
    } else if (table === 'kycs' && row) {
      const { id, account_id, status } = row as KycRow
      log.info('kyc', { world, id, account_id, status })
    } else if (table === 'callbacks' && row) {
      const { id, state, url } = row as CallbackRow
      log.info('callback', { world, id, state, target: urlOf(url)?.host ?? url })
    } else if (table === 'teams') {
      log.info('team', { world, id: key, status: (row as TeamRow | undefined)?.status ?? 'deleted' })
    }
  }
}

const listenerErrorLog =
  (log: Log): OnError =>
  (error, about) =>
    log.error('listener failed', {
      ...about,
      message: String(error),
      stack: (error as Error | undefined)?.stack,
    })

const waitInRealTime = (ms: number) => new Promise<void>((resolve) => void later(ms, resolve))
