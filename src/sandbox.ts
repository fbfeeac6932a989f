import type { AddressInfo } from 'node:net'
import machine from 'node:process'
import { createApp } from './app.ts'
import { createDelivery } from './callbacks/deliver.ts'
import { createInboxes, toInboxes } from './callbacks/inbox.ts'
import type { Send } from './callbacks/send.ts'
import { createHttpSend } from './callbacks/send.ts'
import { firstSecrets, readRewrites, readSchemes } from './callbacks/settings.ts'
import { guardedLookup, openLookup, sharedResolve } from './callbacks/target.ts'
import type { ClockState, Wall } from './clock.ts'
import { createClock, later, systemWall } from './clock.ts'
import { repeat } from './clock/repeat.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config.ts'
import { defaultCosts } from './domain/costs.ts'
import { defaultTiers } from './domain/limits.ts'
import { packageVersion } from './files.ts'
import { adminGuard } from './http/admin-guard.ts'
import { createDisturbance } from './http/disturbance.ts'
import { cutOf } from './http/faults.ts'
import { createMetrics } from './http/metrics.ts'
import { createDefaults, type Process } from './http/process.ts'
import { checkLowBalances } from './domain/low-balance.ts'
import { createRateLimit } from './http/rate-limit.ts'
import type { Listening } from './http/server.ts'
import { listen } from './http/server.ts'
import type { Log } from './log.ts'
import { createMailSender, sendMails } from './mail.ts'
import { createRandom, seededSecrets, systemSecrets, unforeseeable } from './random.ts'
import { checkExpression, startRecurring, type Recurring } from './scheduler/recurring.ts'
import { jobRunner, placeOf } from './scheduler/run-job.ts'
import type { Scheduler } from './scheduler/scheduler.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import { openScenarios } from './scenarios/open.ts'
import type { Library } from './scenarios/library.ts'
import type { Scenario } from './scenarios/terms.ts'
import { stateLog } from './state-log.ts'
import { createStore } from './store/create-store.ts'
import { defaultSeed } from './worlds/default-seed.ts'
import { readSeedFile } from './worlds/read-seed.ts'
import { publishRows } from './worlds/row-events.ts'
import type { Seed } from './worlds/seed.ts'
import { costBand } from './worlds/settings.ts'
import { seedRows } from './worlds/seed-rows.ts'
import type { Worlds } from './worlds/worlds.ts'
import { openWorlds } from './worlds/worlds.ts'

export { UnusableFile } from './store/create-store.ts'

export interface Parts {
  readonly config: Config
  readonly log: Log
  readonly wall?: Wall
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
}

export interface Sandbox {
  /** Answers a request without a port. @throws TypeError when a scenario cuts the connection */
  fetch(request: Request): Response | Promise<Response>
  readonly worlds: Worlds
  readonly scheduler: Scheduler
  /** The scenarios of the process as they are now. */
  library(): Library
  /** Listens as configured, or at another port; returns the address in use. @throws when the port is taken */
  listen(port?: number): Promise<AddressInfo>
  /** Takes no new requests, lets running ones finish for a moment, and keeps what is owed on record. */
  close(): Promise<void>
}

const REVIEW_AFTER = 10_000
/** How often idle worlds are looked for at most, milliseconds. */
const LEAST_SWEEP = 1_000
/** How long running requests may take once the sandbox closes, milliseconds. */
const GRACE = 700

/** Builds the parts and joins them; the only place that does. */
export async function createSandbox({
  config,
  log,
  wall = systemWall,
  clock,
  send,
  seed,
  scenarios: extra = [],
  pause = pauseOnWall,
  calendar = true,
  stop = () => {},
}: Parts): Promise<Sandbox> {
  const callbacks = readCallbackSettings(config)
  if (config.resetCron !== null) await checkExpression(config.resetCron).catch(refused('SANDBOX_RESET_CRON'))
  const store = await createStore(config.db === null ? {} : { path: config.db })
  if (log.writes('info')) store.onCommit(stateLog(log))
  const begin = seed ?? (config.seedFile === null ? undefined : await readSeedFile(config.seedFile))
  const chosen = begin ?? defaultSeed(config.apiUsername, config.apiPassword)
  const defaults = createDefaults({
    settle_after: config.settleAfter,
    review_after: REVIEW_AFTER,
    callback_shape: config.callbackShape,
    signatures: config.signatures,
    retry_profile: config.retryProfile,
    retry_speed: config.retrySpeed,
    retry_jitter: config.retryJitter,
    callback_timeout: config.callbackTimeout,
    validation: config.validation,
    tiers: chosen.tiers ?? defaultTiers,
    costs: chosen.costs?.map(costBand) ?? defaultCosts,
  })
  const rows = seedRows(chosen, clock?.world_anchor ?? wall())
  const worlds = await openWorlds({
    store,
    wall,
    newClock: (state) => createClock(wall, state ?? clock),
    seed: config.seed,
    settings: () => defaults.current,
    home: chosen.api_keys[0]!.username,
    rows,
    journalSize: config.journalSize,
    most: config.maxWorlds,
    ttl: config.worldTtl,
  })
  const metrics = config.metrics === 'on' ? await createMetrics(() => worlds) : undefined
  const mail = config.smtpUrl === null ? undefined : await createMailSender(config.smtpUrl, log)
  store.onCommit((name, written) => {
    const world = worlds.get(name)
    if (world) publishRows(world, written)
    metrics?.written(written)
    if (mail) sendMails(mail, written)
  })
  const lookup = config.mode === 'hosted' ? guardedLookup(sharedResolve()) : openLookup(sharedResolve())
  const http = send ? { send, close: () => {} } : createHttpSend({ lookup })
  const { rewrites, firstSecret } = callbacks
  const inboxes = createInboxes(firstSecret)
  const deliver = createDelivery({
    send: toInboxes(inboxes, worlds.get, http.send),
    isInbox: (url) => inboxes.find(url) !== undefined,
    mode: config.mode,
    rewrites,
    firstSecret,
  })
  const run = jobRunner(deliver, ({ name }, why) => log.warn('planned change refused', { world: name, why }))
  const scheduler = await startScheduler({
    store,
    world: worlds.get,
    run(world, job) {
      metrics?.late(job.task.kind, world.clock.now() - job.due_at)
      return run(world, job)
    },
    place: placeOf(rewrites),
    onError: (error, job) => log.error('job failed', { job, message: String(error) }),
  })
  const rateLimit = config.rateLimit === null ? undefined : createRateLimit(config.rateLimit, wall)
  worlds.onReplaced((name) => scheduler.reload(name))
  const stopSweeping = repeat(Math.max(config.worldTtl / 10, LEAST_SWEEP), () => {
    worlds.dropIdle(config.worldTtl).then(
      (dropped) => dropped.length > 0 && log.info('idle worlds dropped', { count: dropped.length }),
      (error: unknown) => log.error('idle worlds not dropped', { message: String(error) }),
    )
  })
  const process: Process = {
    worlds,
    rows,
    secrets: config.mode === 'hosted' ? systemSecrets : seededSecrets(config.seed),
    disturbance: createDisturbance(createRandom(config.seed)),
    defaults,
    wall,
    started_at: wall(),
    version: packageVersion(),
    node: machine.version,
    memory: () => machine.memoryUsage.rss(),
    stop,
  }
  const scenarios = await openScenarios(config.scenarios, log, extra)
  const stage = { library: scenarios.library, runNow: scheduler.runNow, pause }
  const parts = { scheduler, firstSecret, inboxes }
  const app = createApp({
    worlds,
    log,
    wall,
    rateLimit,
    headers: config.headers === 'on',
    stage,
    admin: adminGuard({ mode: config.mode, token: config.adminToken }),
    process,
    metrics,
    parts,
    pages: {
      credentials: {
        username: config.apiUsername,
        // A password that was set is a secret; the default one is in the README.
        password: config.apiPassword === 'demo' ? 'demo' : undefined,
      },
      embedOrigins: config.embedOrigins,
      nonce: unforeseeable,
    },
  })
  const reset = async () => {
    await worlds.reset(worlds.home)
    log.info('reset', { world: worlds.home })
  }
  // Calendar work goes by the machine's own clock; a wall of one's own has no calendar.
  const recurring =
    calendar && wall === systemWall
      ? startRecurring(recurringWork(config, worlds, reset), recurringOptions(config, log))
      : undefined
  let server: Listening | undefined

  return {
    async fetch(request) {
      const answer = await app.fetch(request)
      const cut = cutOf(request)
      if (cut) throw cut
      return answer
    },
    library: scenarios.library,
    worlds,
    scheduler,
    async listen(port = config.port) {
      server = await listen(app.fetch, port, config.host)
      return server.address
    },
    async close() {
      stopSweeping()
      // Streams would never end by themselves.
      worlds.close()
      await server?.stop(GRACE)
      ;(await recurring)?.()
      http.close()
      await mail?.close()
      scenarios.close()
      await scheduler.close()
      await store.close()
    },
  }
}

const pauseOnWall = (ms: number) => new Promise<void>((resolve) => void later(ms, resolve))

const EVERY_MINUTE = '* * * * *'

/** @param reset brings the default world back to its seed */
function recurringWork(config: Config, worlds: Worlds, reset: () => Promise<void>): Recurring[] {
  const lowBalances = async () => {
    for (const world of worlds.all()) if (!world.closed) await world.change(checkLowBalances)
  }
  const works = [{ name: 'low balances', at: EVERY_MINUTE, run: lowBalances }]
  return config.resetCron === null ? works : [...works, { name: 'reset', at: config.resetCron, run: reset }]
}

const recurringOptions = ({ timeZone }: Config, log: Log) => ({
  timeZone,
  onError: (error: unknown, name: string) =>
    log.error('recurring work failed', { name, message: String(error) }),
})

/** Settings whose form only their users know. @throws ConfigError that names the variable */
function readCallbackSettings({
  apiUsername,
  apiPassword,
  signatures,
  signingSecret,
  callbackRewrite,
}: Config) {
  checked('SANDBOX_SIGNATURES', () => readSchemes(signatures))
  return {
    rewrites: checked('SANDBOX_CALLBACK_REWRITE', () => readRewrites(callbackRewrite)),
    firstSecret: checked('SANDBOX_SIGNING_SECRET', () =>
      firstSecrets(apiUsername, signingSecret, apiPassword),
    ),
  }
}

function checked<T>(variable: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return refused(variable)(error as Error)
  }
}

const refused =
  (variable: string) =>
  ({ message }: Error): never => {
    throw new ConfigError(message.startsWith(variable) ? message : `${variable}: ${message}`)
  }
