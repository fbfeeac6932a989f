import type { AddressInfo } from 'node:net'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { createApp } from './app.ts'
import type { Send } from './callbacks/send.ts'
import type { ClockState, Wall } from './clock.ts'
import { createClock, later, systemWall } from './clock.ts'
import { steadyWall, systemMonotonic } from './clock/steady.ts'
import type { Config } from './config.ts'
import { packageVersion } from './files.ts'
import type { Engine } from './engine/engine.ts'
import { exactTime } from './domain/wire-time.ts'
import { adminGuard } from './http/admin-guard.ts'
import { callerLimits } from './http/caller-limits.ts'
import { clientAddress } from './http/client-address.ts'
import { createChaos } from './http/chaos.ts'
import { hostGuard, oursBy } from './http/host-guard.ts'
import { createMetrics } from './http/metrics.ts'
import type { FetchWith } from './http/openapi-app.ts'
import type { Listening } from './http/server.ts'
import { listen } from './http/server.ts'
import { CLOSED, refuseClosed } from './http/protocol-errors.ts'
import { cutOf } from './http/scenario/faults.ts'
import type { OnError } from './listeners.ts'
import type { Log } from './log.ts'
import { createMailSender } from './mail.ts'
import { createRandom, seededSecrets, systemSecrets, unforeseeable } from './random.ts'
import { createDispatchOf, jobRunner } from './scheduler/run-job.ts'
import type { Scheduler } from './scheduler/scheduler.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import { openScenarios } from './scenarios/open.ts'
import type { Library } from './scenarios/library.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { readCallbackSettings, warnOfUnused } from './sandbox/callback-settings.ts'
import { connectionLimits, inwardLimit, callbackLimits } from './sandbox/connections.ts'
import { joinDelivery } from './sandbox/delivery.ts'
import { limitsOf } from './sandbox/limits.ts'
import { openEngine } from './sandbox/engine.ts'
import { mailRules } from './sandbox/mails.ts'
import { startCalendar, startSweeping } from './sandbox/recurring-work.ts'
import { worldDefaults } from './sandbox/world-defaults.ts'
import { budgetLog } from './sandbox/budget-log.ts'
import { stateLog } from './state-log.ts'
import type { StoreOptions } from './store/create-store.ts'
import type { Store } from './store/store.ts'
import { StoreUnavailable } from './store/unavailable.ts'
import { defaultSeed } from './worlds/default-seed.ts'
import { type Guide, guideOf } from './worlds/guide.ts'
import { publishRows } from './worlds/row-events.ts'
import type { Seed } from './worlds/seed.ts'
import { hashesKept, hashKeys } from './worlds/key-hashes.ts'
import { seedRows } from './worlds/seed-rows.ts'
import type { World } from './worlds/world.ts'
import type { Worlds } from './worlds/worlds.ts'
import { openWorlds } from './worlds/worlds.ts'

export { UnusableFile } from './store/create-store.ts'

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
  /** Takes no new requests, lets running ones finish for a moment, and keeps what is owed on record. */
  close(): Promise<void>
}

/** How long running requests may take once the sandbox closes, milliseconds. */
const GRACE = 700

/** Builds the parts and joins them; the only place that does. */
export async function createSandbox({
  config,
  log,
  wall: date = systemWall,
  monotonic = date === systemWall ? systemMonotonic : undefined,
  clock,
  send,
  seed,
  scenarios: extra = [],
  pause = pauseOnWall,
  calendar = true,
  stop = () => {},
  storeParts = {},
  engine: shared,
}: Parts): Promise<Sandbox> {
  const wall = monotonic ? steadyWall(date, monotonic) : date
  const begin = seed ?? (await seedOfFile(config))
  const chosen =
    begin ?? defaultSeed(config.apiUsername, config.apiPassword, config.viewerPassword ?? undefined)
  if (!seed && begin) warnOfUnused(config, log)
  const callbacks = await readCallbackSettings(config, chosen, begin !== undefined)
  const onError: OnError = (error, about) =>
    log.error('listener failed', {
      ...about,
      message: String(error),
      stack: (error as Error | undefined)?.stack,
    })
  const engine = shared ?? (await openEngine(config, log, onError, storeParts))
  const { store } = engine
  const listening: (() => void)[] = []
  const onCommit = (listener: Parameters<Store['onCommit']>[0]) =>
    void listening.push(store.onCommit(listener))
  if (log.writes('info')) onCommit(stateLog(log))
  const guide = guideOf(chosen, begin ? 'the seed file' : 'SANDBOX_API_PASSWORD')
  const defaults = worldDefaults(config, chosen)
  const hashes = await hashKeys(chosen.api_keys, await hashesKept(store, chosen.api_keys[0]!.username))
  const rows = seedRows(chosen, clock?.world_anchor ?? wall(), hashes)
  const worlds = await openWorlds({
    engine,
    onError,
    wall,
    newClock: (state) => createClock(wall, state ?? clock, date),
    seed: config.seed,
    secret: config.mode === 'hosted' ? config.adminToken! : undefined,
    settings: () => defaults.current,
    home: chosen.api_keys[0]!.username,
    rows,
    life: config.mode === 'hosted' ? systemSecrets : laterLife,
    journalSize: config.journalSize,
    most: config.maxWorlds,
    ttl: config.worldTtl,
    ...limitsOf(config),
    onSpent: budgetLog(log),
  })
  const metrics =
    config.metrics === 'on'
      ? await createMetrics(
          () => worlds,
          () => scheduler.traffic(),
        )
      : undefined
  const mails =
    config.smtpUrl === null ? undefined : await createMailSender(config.smtpUrl, mailRules(config), log)
  onCommit((name, written) => {
    const world = worlds.get(name)
    if (world) publishRows(world, written)
  })
  if (metrics) onCommit((_, written) => metrics.written(written))
  const connections = connectionLimits(config, log)
  const delivery = joinDelivery(config, callbacks, worlds, connections.out, send)
  const refused = ({ name }: World, why: string) => log.warn('planned change refused', { world: name, why })
  const run = jobRunner(delivery.deliver, refused)
  const scheduler = await startScheduler({
    store,
    jobs: engine.jobs,
    wall,
    mails,
    world: worlds.get,
    run(world, job, generation) {
      metrics?.late(job.task.kind, world.clock.now() - job.due_at)
      return run(world, job, generation)
    },
    dispatchOf: createDispatchOf(callbacks.rewrites, delivery.isInbox),
    limits: callbackLimits(config, connections.out, wall, log),
    onError(error, job, next_at) {
      // The store has said so itself, and what is owed is taken up again when it recovers.
      if (error instanceof StoreUnavailable) return
      log.error(next_at === null ? 'job given up' : 'job failed', {
        job,
        message: String(error),
        ...(next_at && { next_attempt_at: exactTime(next_at) }),
      })
    },
  })
  const stopRecovering = store.onRecovered(() => {
    worlds.reread()
    for (const { name } of worlds.all())
      scheduler
        .reload(name)
        .catch((error: unknown) => log.error('work not taken up', { message: String(error) }))
  })
  worlds.onReplaced((name) => scheduler.reload(name))
  const stopSweeping = startSweeping(config, worlds, engine.lock, wall, log)
  const scenarios = await openScenarios(config.scenarios, log, extra)
  const chaos = createChaos(createRandom(config.seed), pause)
  const isOurs = oursBy([config.host, ...(config.allowedHosts === '*' ? [] : config.allowedHosts)])
  const app = createApp({
    serving: {
      worlds,
      log,
      wall,
      pause,
      chaos,
      metrics,
      callers: callerLimits({
        perKey: config.rateLimit,
        perAddress: config.addressRateLimit,
        failures: config.failureLimit,
        addressOf: clientAddress(config.trustedProxies ?? []),
        wall,
      }),
      admin: adminGuard({ mode: config.mode, token: config.adminToken, isOurs }),
      headers: config.headers === 'on',
      library: scenarios.library,
      runNow: scheduler.runNow,
    },
    control: {
      worlds,
      rows,
      secrets: config.mode === 'hosted' ? systemSecrets : seededSecrets(config.seed),
      chaos,
      defaults,
      scheduler,
      firstSecret: callbacks.firstSecret,
      inboxes: delivery.inboxes,
      library: scenarios.library,
      wall,
      started_at: wall(),
      version: packageVersion(),
      node: process.version,
      memory: () => process.memoryUsage.rss(),
      stop,
    },
    unavailable: () => store.unavailable?.message,
    pages: {
      guide,
      embedOrigins: config.embedOrigins,
      nonce: unforeseeable,
    },
  })
  // Calendar work goes by the machine's own clock; a wall of one's own has no calendar.
  const stopCalendar =
    calendar && date === systemWall ? startCalendar(config, worlds, engine.lock, log) : async () => {}
  let server: Listening | undefined
  let closed = false

  const fetch: FetchWith = async (request, env) => {
    if (closed) return refuseClosed()
    const answer = await app.fetch(request, env)
    const cut = cutOf(request)
    if (cut) throw cut
    return answer
  }

  return {
    fetch,
    async app() {
      const { createOpenApiApp } = await import('./http/openapi-app.ts')
      return createOpenApiApp(fetch)
    },
    library: scenarios.library,
    guide,
    worlds,
    scheduler,
    async listen(port = config.port) {
      server = await listen(
        app.fetch,
        port,
        config.host,
        inwardLimit(connections.inward, wall, log),
        hostGuard(config.allowedHosts, isOurs),
      )
      return server.address
    },
    async close() {
      closed = true
      stopSweeping()
      // Streams would never end by themselves, and waiting not before its time.
      worlds.close(CLOSED)
      await server?.stop(GRACE)
      await stopCalendar()
      delivery.close()
      scenarios.close()
      await scheduler.close()
      stopRecovering()
      worlds.stop()
      for (const stop of listening) stop()
      if (!shared) await engine.close()
    },
  }
}

async function seedOfFile({ seedFile }: Config): Promise<Seed | undefined> {
  if (seedFile === null) return undefined
  const { readSeedFile } = await import('./worlds/read-seed.ts')
  return readSeedFile(seedFile)
}

/** The first worlds of a process have the same addresses each time. */
const laterLife = (dropped: number) => (dropped === 0 ? undefined : String(dropped))

const pauseOnWall = (ms: number) => new Promise<void>((resolve) => void later(ms, resolve))
