import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { createDelivery } from './callbacks/deliver.ts'
import type { Send } from './callbacks/send.ts'
import { createHttpSend } from './callbacks/send.ts'
import type { ClockState, Wall } from './clock.ts'
import { createClock, systemWall } from './clock.ts'
import type { Config } from './config.ts'
import type { Settings } from './domain/context.ts'
import { defaultCosts } from './domain/costs.ts'
import { defaultTiers } from './domain/limits.ts'
import { createRateLimit } from './http/rate-limit.ts'
import type { Listening } from './http/server.ts'
import { listen } from './http/server.ts'
import type { Log } from './log.ts'
import { jobRunner, waitsForNetwork } from './scheduler/run-job.ts'
import type { Scheduler } from './scheduler/scheduler.ts'
import { startScheduler } from './scheduler/scheduler.ts'
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
}

export interface Sandbox {
  /** Answers a request without a port. */
  fetch(request: Request): Response | Promise<Response>
  readonly worlds: Worlds
  readonly scheduler: Scheduler
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
}: Parts): Promise<Sandbox> {
  const store = await createStore(config.db === null ? {} : { path: config.db })
  store.onCommit(stateLog(log))
  const settings: Settings = {
    settle_after: config.settleAfter,
    review_after: REVIEW_AFTER,
    callback_shape: config.callbackShape,
    validation: config.validation,
    tiers: defaultTiers,
    costs: defaultCosts,
  }
  const worlds = await openWorlds({
    store,
    newClock: () => createClock(wall, clock),
    seed: config.seed,
    settings,
    home: config.apiUsername,
    rows: seedRows(defaultSeed(config.apiUsername, config.apiPassword), clock?.world_anchor ?? wall()),
  })
  const http = send ? { send, close: () => {} } : createHttpSend()
  const scheduler = await startScheduler({
    store,
    world: worlds.get,
    run: jobRunner(createDelivery(http.send)),
    waits: waitsForNetwork,
    onError: (error, job) => log.error('job failed', { job, message: String(error) }),
  })
  const rateLimit = config.rateLimit === null ? undefined : createRateLimit(config.rateLimit, wall)
  const app = createApp({ worlds, log, wall, rateLimit })
  let server: Listening | undefined

  return {
    fetch: (request) => app.fetch(request),
    worlds,
    scheduler,
    async listen() {
      server = await listen(app.fetch, config.port, config.host)
      return server.address
    },
    async close() {
      await server?.stop(GRACE)
      http.close()
      await scheduler.close()
      await store.close()
    },
  }
}
