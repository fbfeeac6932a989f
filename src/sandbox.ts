import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { createDelivery } from './callbacks/deliver.ts'
import { createInboxes, toInboxes } from './callbacks/inbox.ts'
import type { Send } from './callbacks/send.ts'
import { createHttpSend } from './callbacks/send.ts'
import { firstSecrets, readRewrites, readSchemes } from './callbacks/settings.ts'
import { guardedLookup, openLookup, sharedResolve } from './callbacks/target.ts'
import type { ClockState, Wall } from './clock.ts'
import { createClock, later, systemWall } from './clock.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config.ts'
import type { Settings } from './domain/context.ts'
import { defaultCosts } from './domain/costs.ts'
import { defaultTiers } from './domain/limits.ts'
import { cutOf } from './http/faults.ts'
import { checkLowBalances } from './domain/low-balance.ts'
import { createRateLimit } from './http/rate-limit.ts'
import type { Listening } from './http/server.ts'
import { listen } from './http/server.ts'
import type { Log } from './log.ts'
import { unforeseeable } from './random.ts'
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
  /** Listens as configured; returns the address in use. @throws when the port is taken */
  listen(): Promise<AddressInfo>
  /** Takes no new requests, lets running ones finish for a moment, and keeps what is owed on record. */
  close(): Promise<void>
}

const REVIEW_AFTER = 10_000
/** How long running requests may take once the sandbox closes, milliseconds. */
const GRACE = 700

/** Builds the parts and joins them; the only place that does. */
export async function createSandbox({
  config,
  log,
  wall = systemWall,
  clock,
  send,
  scenarios: extra = [],
  pause = pauseOnWall,
}: Parts): Promise<Sandbox> {
  const callbacks = readCallbackSettings(config)
  if (config.resetCron !== null) await checkExpression(config.resetCron).catch(refused('SANDBOX_RESET_CRON'))
  const store = await createStore(config.db === null ? {} : { path: config.db })
  if (log.writes('info')) store.onCommit(stateLog(log))
  const settings: Settings = {
    settle_after: config.settleAfter,
    review_after: REVIEW_AFTER,
    callback_shape: config.callbackShape,
    signatures: config.signatures,
    retry_profile: config.retryProfile,
    retry_speed: config.retrySpeed,
    retry_jitter: config.retryJitter,
    callback_timeout: config.callbackTimeout,
    validation: config.validation,
    tiers: defaultTiers,
    costs: defaultCosts,
  }
  const seeded = seedRows(defaultSeed(config.apiUsername, config.apiPassword), clock?.world_anchor ?? wall())
  const worlds = await openWorlds({
    store,
    newClock: (saved) => createClock(wall, saved ?? clock),
    seed: config.seed,
    settings,
    home: config.apiUsername,
    rows: seeded,
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
  const scheduler = await startScheduler({
    store,
    world: worlds.get,
    run: jobRunner(deliver),
    place: placeOf(rewrites),
    onError: (error, job) => log.error('job failed', { job, message: String(error) }),
  })
  const rateLimit = config.rateLimit === null ? undefined : createRateLimit(config.rateLimit, wall)
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
  /** The default world as it began; what it owed is forgotten. */
  const reset = async () => {
    await store.load(config.apiUsername, seeded)
    await scheduler.reload(config.apiUsername)
    worlds.get(config.apiUsername)?.journal.clear()
    log.info('reset', { world: config.apiUsername })
  }
  // Calendar work goes by the machine's own clock; a wall of one's own has no calendar.
  const recurring =
    wall === systemWall
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
    async listen() {
      server = await listen(app.fetch, config.port, config.host)
      return server.address
    },
    async close() {
      await server?.stop(GRACE)
      ;(await recurring)?.()
      http.close()
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
    for (const world of worlds.all()) await world.change(checkLowBalances)
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
