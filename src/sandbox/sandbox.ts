import type { AddressInfo } from 'node:net'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Send } from '../callbacks/send.ts'
import { type ClockState, later, type Wall } from '../lib/clock/clock.ts'
import type { Config } from '../config/config.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { processSettings } from '../control/dependencies.ts'
import { createChaos } from '../http/chaos.ts'
import { hostGuard } from '../http/host-guard.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import type { FetchWith } from '../http/openapi-app.ts'
import { CLOSED } from '../http/protocol-errors.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import { createRandom } from '../lib/random/random.ts'
import { createApplication } from './app.ts'
import { type Beginning, readBeginning } from './initial-state.ts'
import { startCalendar, startClosing, startSweeping } from './recurring-work.ts'
import { type CommitListener, commitsOf, stateLog } from './commits.ts'
import { connectionLimits, inwardLimit, namesOf, openDoor } from './listener.ts'
import { joinDelivery } from './delivery.ts'
import { openEngine } from './engine.ts'
import { startJobs } from './jobs.ts'
import { joinProcesses } from './processes.ts'
import { createTime } from './time.ts'
import { openConfiguredWorlds } from './worlds.ts'
import type { Library } from '../scenarios/library.ts'
import { openScenarios } from '../scenarios/load.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { StoreOptions } from '../storage/store/low-store.ts'
import type { Guide } from '../worlds/guide.ts'
import { publishRows } from '../worlds/events.ts'
import type { Seed } from '../generated/control/types.ts'
import type { Worlds } from '../worlds/registry.ts'

export { UnusableFile } from '../storage/store/low-store.ts'

export interface Parts {
  readonly config: Config
  readonly log: Log
  readonly wall?: Wall
  /** Milliseconds that never go back, for whatever waits; with a wall of one's own, the wall when left out. */
  readonly monotonic?: () => number
  /** How every world's clock starts; it follows the wall when left out. */
  readonly clock?: ClockState
  /** How callbacks leave; over HTTP when left out. */
  readonly send?: Send
  /** What takes callbacks in this process, by origin; checked. */
  readonly receivers?: Readonly<Record<string, Receiver>>
  /** What worlds start with; the seed file or the default seed when left out. */
  readonly seed?: Seed
  /** Whether calendar work is done: resets by SANDBOX_RESET_CRON, low-balance mails; yes when left out. */
  readonly calendar?: boolean
  /** Ends the process when `/__admin/shutdown` asks; nothing happens when left out. */
  readonly stop?: () => void
  /** Scenarios in front of those that are loaded. */
  readonly scenarios?: readonly Scenario[]
  /** How an answer that a scenario delays is held back; on the wall when left out. */
  readonly pause?: (ms: number) => Promise<void>
  /** How the rows file is written; the system's way when left out. */
  readonly storeParts?: Pick<StoreOptions, 'ticks' | 'open'>
  /** What the sandbox keeps everything in, which others may share; closed by whoever made it. By the configuration when left out. */
  readonly engine?: Engine
  /** Returns the bytes that the heap has grown by since the start, in a process that has nothing but the sandbox in it. */
  readonly heapGrowth?: (() => number) | undefined
}

export interface Sandbox {
  /** Answers a request without a port. @throws TypeError when a scenario cuts the connection */
  fetch: FetchWith
  /** The same as an application that can be mounted in another. */
  app(): Promise<OpenAPIHono>
  readonly worlds: Worlds
  readonly scheduler: Scheduler
  /** The scenarios of the process as they are now. */
  library(): Library
  /** Listens as configured, or at another port; returns the address in use. @throws when the port is taken */
  listen(port?: number): Promise<AddressInfo>
  /** What a newcomer is shown of the default world. */
  readonly guide: Guide
  /**
   * Takes no new requests, lets running ones finish for a moment, and keeps what is owed on record. With a port and SANDBOX_SHUTDOWN_DELAY it says
   * at `/readyz` that it ends, so long before that.
   */
  close(): Promise<void>
}

/** How long running requests may take at least once the sandbox closes, milliseconds. */
const GRACE = 700

const ENDING = 'The sandbox is asked to end.'

/** Opens what everything is kept in, and builds the rest over it. */
export async function createSandbox(parts: Parts): Promise<Sandbox> {
  const { config, log } = parts
  const beginning = await readBeginning(config, log, parts.seed)
  if (parts.engine) return joinParts(parts, beginning, parts.engine)
  const engine = await openEngine(config, log, listenerErrorLog(log), parts.storeParts ?? {})
  try {
    return await joinParts(parts, beginning, engine)
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Builds the parts and joins them, each where `sandbox/` has it; the only place that does. */
async function joinParts(parts: Parts, beginning: Beginning, engine: Engine): Promise<Sandbox> {
  const { config, log, pause = pauseOnWall, stop = () => {} } = parts
  const time = createTime({
    date: parts.wall,
    shared: engine.wall,
    monotonic: parts.monotonic,
    clock: parts.clock,
  })
  const onError = listenerErrorLog(log)

  const commits = commitsOf(engine.store)
  if (log.writes('info')) commits.listen(stateLog(log))
  const { worlds, rows } = await openConfiguredWorlds({
    config,
    engine,
    beginning,
    time,
    onError,
    log,
    heapGrowth: parts.heapGrowth,
  })
  commits.listen(eventsIn(worlds))

  const metrics: Metrics | undefined =
    config.metrics === 'on'
      ? await createMetrics({
          worlds,
          // It is started below, and told what came late.
          traffic: () => scheduler.traffic(),
          wall: time.wall,
          measures: engine.measures,
        })
      : undefined
  if (metrics) commits.listen((_, written) => metrics.written(written))
  const { inward, out } = connectionLimits(config, log)
  const { callbacks } = beginning
  const { send, receivers } = parts
  const delivery = joinDelivery({ config, callbacks, worlds, connections: out, send, receivers, log })
  const scheduler: Scheduler = await startJobs({
    config,
    engine,
    worlds,
    callbacks,
    delivery,
    connections: out,
    metrics,
    time,
    log,
  })
  const stopClosing = engine.isRemote ? startClosing(config, worlds, scheduler, time.wall) : () => {}
  const stopSweeping = startSweeping(config, worlds, engine.lock, time.wall, log)

  const scenarios = await openScenarios(config.scenarios, log, parts.scenarios ?? [])
  const { library } = scenarios
  const { isOurs, isProxy, reached } = namesOf(config)
  joinProcesses(engine.processes, { config, seed: beginning.seed, library }, log)
  const chaos = createChaos(createRandom(config.seed), pause)
  const shared = processSettings(engine.settings, beginning.defaults, chaos)
  let ending: string | undefined
  const app = createApplication({
    config,
    engine,
    beginning,
    worlds,
    rows,
    scheduler,
    delivery,
    library,
    metrics,
    chaos,
    processSettings: shared,
    isOurs,
    isProxy,
    unavailable: () => ending ?? engine.store.unavailable?.message,
    pause,
    stop,
    time,
    log,
  })
  const door = openDoor(app, {
    port: config.port,
    host: config.host,
    limit: inwardLimit(config, { inward, isProxy }, time.wall, log),
    guard: hostGuard(config.allowedHosts, isOurs),
    reached,
  })
  // Calendar work goes by the machine's own clock; a wall of one's own has no calendar.
  const stopCalendar =
    (parts.calendar ?? true) && time.isSystem ? startCalendar(config, worlds, engine, log) : async () => {}

  return {
    fetch: door.fetch,
    async app() {
      const { createOpenApiApp } = await import('../http/openapi-app.ts')
      const served = config.extensions === 'on'
      const more = served ? (await import('../generated/extensions/routes.ts')).routes : {}
      return createOpenApiApp(door.fetch, more)
    },
    library,
    guide: beginning.guide,
    worlds,
    scheduler,
    async listen(port) {
      const address = await door.listen(port)
      delivery.tellStart()
      return address
    },
    async close() {
      ending = ENDING
      const { shutdownDelay } = config
      if (shutdownDelay > 0 && door.leave()) await pauseOnWall(shutdownDelay)
      door.refuse()
      stopSweeping()
      stopClosing()
      // Streams would never end by themselves, and waiting not before its time.
      worlds.close(CLOSED)
      await door.close(Math.max(GRACE, shutdownDelay))
      await stopCalendar()
      const cut = delivery.closeIn(shutdownDelay)
      scenarios.close()
      await scheduler.close()
      cut()
      worlds.stop()
      shared.stop()
      commits.stop()
      if (!parts.engine) await engine.close()
    },
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

/** Publishes what was written among the events of its world. */
const eventsIn =
  (worlds: Worlds): CommitListener =>
  (name, written, version) => {
    const world = worlds.get(name)
    if (world) publishRows(world, written, version)
  }

const pauseOnWall = (ms: number) => new Promise<void>((resolve) => void later(ms, resolve))
