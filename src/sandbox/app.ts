import { type Context, Hono } from 'hono'
import { reportKey } from '../callbacks/signatures/report-key.ts'
import type { Config } from '../config/config.ts'
import { settingsToKnow } from '../config/settings.ts'
import type { ControlDependencies, ProcessSettings } from '../control/dependencies.ts'
import { packageVersion } from '../files.ts'
import * as api from '../generated/service/routes.ts'
import { adminGuard } from '../http/admin-guard.ts'
import { bindRoutes } from '../http/bind-routes.ts'
import { callerLimits } from '../http/caller-limits.ts'
import type { Chaos } from '../http/chaos.ts'
import { clientAddress, countedAddress, type IsProxy, unnamedProxy } from '../http/client-address.ts'
import { shareAcrossOrigins } from '../http/cross-origin.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { type Env, Exchange } from '../http/exchange.ts'
import type { Metrics } from '../http/metrics.ts'
import { lazy } from '../lib/lazy.ts'
import { type Log, throttled } from '../lib/log/log.ts'
import { type Secrets, seededSecrets, systemSecrets, unforeseeable } from '../lib/random/random.ts'
import type { SiteOptions } from '../pages/site.ts'
import type { Delivery } from './delivery.ts'
import type { Beginning } from './initial-state.ts'
import type { Time } from './time.ts'
import { openGuestWorlds } from './worlds.ts'
import type { Library } from '../scenarios/library.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { operations } from '../service/operations/operations.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { WorldRows } from '../storage/store/store.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Worlds } from '../worlds/registry.ts'

export interface AppOptions extends Pick<SiteOptions, 'pages' | 'mcp' | 'unavailable' | 'isHosted'> {
  readonly serving: Dependencies
  /** What the control API steers. */
  readonly control: ControlDependencies
  /** Whether the operations of the API's older generation are served. */
  readonly extensions: boolean
}

/** Below this they are asked after the service. */
const EXTENSIONS = '/api/'
/** Below these the control API is asked first. */
const CONTROL = /^\/(sandbox|__admin)\//

/**
 * The application: the service, behind it the control API, and behind that the pages. What stands behind the service is
 * loaded and made at the first request for it: it is most of the code, and a sandbox that is only paid with needs none.
 */
export function createApp(options: AppOptions): Hono<Env> {
  const { serving, control: steering, extensions: served, pages, mcp, unavailable, isHosted } = options
  const app = new Hono<Env>()
  shareAcrossOrigins(app, serving.corsOrigins)
  bindRoutes(app, serving, { ...api, kind: 'service', handlers: operations })

  const refuse = (error: Error, c: Context<Env>) => new Exchange(c, serving).refuse(error)
  const site = passTo(async () => {
    const { createSite } = await import('../pages/site.ts')
    const within: SiteOptions['within'] = (request, env) => app.fetch(request, env)
    return createSite({ serving, steering, extensions: served, pages, mcp, within, unavailable, isHosted })
  })
  const control = passTo(async () => {
    const { createControl } = await import('../control/control.ts')
    return createControl(serving, steering).notFound(site).onError(refuse)
  })
  const extensions = passTo(async () => {
    const { createExtensions } = await import('../service/operations/extensions/extensions.ts')
    return createExtensions(serving).notFound(site).onError(refuse)
  })
  app.notFound((c) => {
    if (CONTROL.test(c.req.path)) return control(c)
    return served && c.req.path.startsWith(EXTENSIONS) ? extensions(c) : site(c)
  })
  app.onError(refuse)
  return app
}

/** Passes requests on to an application that is made for the first of them. */
function passTo(make: () => Promise<Hono<Env>>): (c: Context<Env>) => Promise<Response> {
  const made = lazy(make)
  return async (c) => (await made()).fetch(c.req.raw, c.env)
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What requests are answered with. */
interface ApplicationParts {
  readonly config: Config
  readonly engine: Engine
  readonly beginning: Beginning
  readonly worlds: Worlds
  readonly rows: WorldRows
  readonly scheduler: Scheduler
  readonly delivery: Delivery
  readonly library: () => Library
  readonly metrics: Metrics | undefined
  readonly chaos: Chaos
  readonly processSettings: ProcessSettings
  /** Whether a host name is one of the sandbox. */
  readonly isOurs: (host: string) => boolean
  /** Which addresses are those of proxies that are trusted; undefined where none is. */
  readonly isProxy: IsProxy | undefined
  /** Why nothing is accepted for now; undefined while all is well. */
  readonly unavailable: () => string | undefined
  readonly pause: (ms: number) => Promise<void>
  readonly stop: () => void
  readonly time: Time
  readonly log: Log
}

/** The application with all that its parts depend on. */
export function createApplication(parts: ApplicationParts): ReturnType<typeof createApp> {
  const { config, engine, beginning, unavailable } = parts
  // Others over the same engine would draw the same.
  const secrets = config.mode === 'hosted' || engine.isRemote ? systemSecrets : seededSecrets(config.seed)
  const guests = openGuestWorlds({ ...parts, secrets })
  return createApp({
    serving: servingOf(parts, guests),
    control: controlOf(parts, guests, secrets),
    extensions: config.extensions === 'on',
    mcp: config.mcp === 'on',
    isHosted: config.mode === 'hosted',
    unavailable,
    pages: {
      guide: beginning.guide,
      settings: () => settingsToKnow(config),
      embedOrigins: config.embedOrigins,
      nonce: unforeseeable,
    },
  })
}

function servingOf(parts: ApplicationParts, guests: GuestWorlds): AppOptions['serving'] {
  const { config, engine, worlds, scheduler, library, metrics, chaos, isOurs, isProxy, pause, time, log } =
    parts
  const { wall } = time
  const countedAs = countedAddress(isProxy)
  return {
    worlds,
    guests,
    countedAs,
    log,
    wall,
    pause,
    chaos,
    metrics,
    callers: callerLimits({
      perKey: config.rateLimit,
      perAddress: config.addressRateLimit,
      failures: config.failureLimit,
      addressOf: countedAs,
      unnamedProxyOf: config.mode === 'hosted' ? unnamedProxy(isProxy) : undefined,
      onUnnamedProxy: throttled(HOUR, wall, (times, peer: string) =>
        log.warn('proxy not named', {
          peer,
          times,
          setting: 'SANDBOX_TRUSTED_PROXIES',
          message: `requests with X-Forwarded-For or Forwarded come from ${peer}; if that is a proxy of yours, name it, or all its clients count as one address`,
        }),
      ),
      onLockOut: throttled(
        MINUTE,
        wall,
        (times, { address, username }: { address: string; username: string | undefined }) =>
          log.warn('locked out', { address, username, times, setting: 'SANDBOX_FAILURE_LIMIT' }),
      ),
      counters: engine.counters,
      wall,
    }),
    corsOrigins: config.corsOrigins,
    // On one's own machine it says nothing.
    client: config.mode === 'hosted' || isProxy ? clientAddress(isProxy) : undefined,
    admin: adminGuard({
      mode: config.mode,
      token: config.adminToken,
      named: config.adminTokens ?? [],
      isOurs,
    }),
    audit: engine.audit,
    auditedAs: clientAddress(isProxy),
    headers: config.headers === 'on',
    library,
    runNow: scheduler.runNow,
  }
}

function controlOf(parts: ApplicationParts, guests: GuestWorlds, secrets: Secrets): ControlDependencies {
  const { config, engine, beginning, worlds, rows, scheduler, delivery, library, stop, time } = parts
  return {
    worlds,
    guests,
    rows,
    secrets,
    processSettings: parts.processSettings,
    processes: engine.processes,
    audit: engine.audit,
    registry: engine.worlds,
    world_ttl: config.worldTtl,
    defaults: beginning.defaults,
    scheduler,
    firstSecret: beginning.callbacks.firstSecret,
    reportKey: reportKey(config.certificationKey),
    inboxes: delivery.inboxes,
    targets: delivery.targets,
    library,
    wall: time.wall,
    started_at: time.wall(),
    version: packageVersion(),
    node: process.version,
    memory: () => process.memoryUsage.rss(),
    stop,
  }
}
