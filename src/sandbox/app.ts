import { type Context, Hono } from 'hono'
import { reportKey } from '../callbacks/signatures/report-key.ts'
import { settingsToKnow } from '../config/settings.ts'
import type { ControlDependencies, ProcessSettings } from '../control/dependencies.ts'
import { packageVersion } from '../lib/files.ts'
import * as api from '../generated/service/routes.ts'
import { adminGuard } from '../http/admin-guard.ts'
import { bindRoutes } from '../http/serve.ts'
import { callerLimits } from '../http/caller.ts'
import type { Chaos } from '../http/chaos.ts'
import { clientAddress, countedAddress, type IsProxy, unnamedProxy } from '../http/client-address.ts'
import { shareAcrossOrigins } from '../http/cross-origin.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { type Env, Exchange } from '../http/exchange.ts'
import type { Metrics } from '../http/metrics.ts'
import { lazy } from '../lib/lazy.ts'
import { throttled } from '../lib/log/log.ts'
import { type Secrets, seededSecrets, systemSecrets, unforeseeable } from '../lib/random/random.ts'
import type { SiteOptions } from '../pages/site.ts'
import type { Library } from '../scenarios/library.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { operations } from '../service/operations/operations.ts'
import type { WorldRows } from '../storage/store/change.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Base } from './base.ts'
import type { Delivery, Mailer } from './jobs.ts'
import { openRegister } from '../worlds/certification-register.ts'
import { openGuestWorlds, openSignUpLinks } from './worlds.ts'

interface Parts extends Base {
  readonly worlds: Worlds
  readonly rows: WorldRows
  readonly scheduler: Scheduler
  readonly delivery: Delivery
  readonly mailer: Mailer | undefined
  readonly library: () => Library
  readonly metrics: Metrics | undefined
  readonly chaos: Chaos
  readonly processSettings: ProcessSettings
  /** Whether a host name belongs to the sandbox. */
  readonly isOurs: (host: string) => boolean
  readonly isProxy: IsProxy | undefined
  /** Returns the reason why requests are rejected, or undefined if they are not. */
  readonly unavailable: () => string | undefined
  readonly pause: (ms: number) => Promise<void>
  readonly stop: () => void
  readonly createSandbox: ControlDependencies['createSandbox']
}

const EXTENSION_PATH = '/api/'
const CONTROL_PATH = /^\/(sandbox|__admin)\//

/**
 * Creates the application: the service, then the control API, then the pages. All but the service is loaded with the first
 * request for it, because it is most of the code and many sandboxes never need it.
 */
export function createApp(parts: Parts): Hono<Env> {
  const { config, engine, initial, unavailable } = parts
  const isHosted = config.mode === 'hosted'
  const hasExtensions = config.extensions === 'on'
  // With a shared engine, seeded secrets of two processes would be the same.
  const secrets = isHosted || engine.isRemote ? systemSecrets : seededSecrets(config.seed)
  const guests = openGuestWorlds(parts, parts.worlds, parts.rows, secrets)
  const serving = servingOf(parts, guests)
  const app = new Hono<Env>()
  const steering = controlOf(parts, guests, secrets, (request) => app.fetch(request, {}))
  shareAcrossOrigins(app, serving.corsOrigins)
  bindRoutes(app, serving, { ...api, kind: 'service', handlers: operations })

  const refuse = (error: Error, c: Context<Env>) => new Exchange(c, serving).refuse(error)
  const site = loadOnRequest(async () => {
    const { createSite } = await import('../pages/site.ts')
    const within: SiteOptions['within'] = (request, env) => app.fetch(request, env)
    return createSite({
      serving,
      steering,
      mcp: config.mcp === 'on',
      within,
      unavailable,
      shards: engine.shards,
      observed: initial.defaults.current().observed,
      pages: {
        guide: initial.guide,
        settings: () => settingsToKnow(config),
        embedOrigins: config.embedOrigins,
        extensions: hasExtensions,
        isHosted,
        nonce: unforeseeable,
      },
    })
  })
  const control = loadOnRequest(async () => {
    const { createControl } = await import('../control/control.ts')
    return createControl(serving, steering).notFound(site).onError(refuse)
  })
  const extensions = loadOnRequest(async () => {
    const { createExtensions } = await import('../service/operations/extensions/extensions.ts')
    return createExtensions(serving).notFound(site).onError(refuse)
  })
  app.notFound((c) => {
    if (CONTROL_PATH.test(c.req.path)) return control(c)
    return hasExtensions && c.req.path.startsWith(EXTENSION_PATH) ? extensions(c) : site(c)
  })
  app.onError(refuse)
  return app
}

function loadOnRequest(load: () => Promise<Hono<Env>>): (c: Context<Env>) => Promise<Response> {
  const loaded = lazy(load)
  return async (c) => (await loaded()).fetch(c.req.raw, c.env)
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function servingOf(parts: Parts, guests: GuestWorlds): Dependencies {
  const { config, engine, worlds, scheduler, library, metrics, chaos, isOurs, isProxy, pause, time, log } =
    parts
  const { wall } = time
  const isHosted = config.mode === 'hosted'
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
      unnamedProxyOf: isHosted ? unnamedProxy(isProxy) : undefined,
      onUnnamedProxy: throttled(HOUR, wall, (times, peer: string) =>
        log.warn('proxy not named', {
          peer,
          times,
          setting: 'SANDBOX_TRUSTED_PROXIES',
          message: `requests with X-Forwarded-For or Forwarded arrive from ${peer}; if it is your proxy, add it to the setting, otherwise all its clients count as one address`,
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
    // The address of a local client is not worth logging.
    client: isHosted || isProxy ? clientAddress(isProxy) : undefined,
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

function controlOf(
  parts: Parts,
  guests: GuestWorlds,
  secrets: Secrets,
  within: (request: Request) => Response | Promise<Response>,
): ControlDependencies {
  const { config, engine, initial, delivery, time } = parts
  return {
    worlds: parts.worlds,
    guests,
    links: openSignUpLinks(parts, parts.worlds, guests, parts.mailer),
    rows: parts.rows,
    secrets,
    processSettings: parts.processSettings,
    processes: engine.processes,
    audit: engine.audit,
    registry: engine.worlds,
    world_ttl: config.worldTtl,
    defaults: initial.defaults,
    scheduler: parts.scheduler,
    firstSecret: initial.callbacks.firstSecret,
    reportKey: reportKey(config.certificationKey),
    certifying: {
      plans: initial.certificationPlans,
      required: config.certificationPlan ?? [],
      within,
      toShop: delivery.toShop,
      checkShop: delivery.checkShop,
      register: openRegister(engine.settings, parts.worlds.all, engine.isRemote ?? false),
    },
    createSandbox: parts.createSandbox,
    inboxes: delivery.inboxes,
    targets: delivery.targets,
    library: parts.library,
    wall: time.wall,
    started_at: time.wall(),
    version: packageVersion(),
    node: process.version,
    memory: () => process.memoryUsage.rss(),
    metrics: parts.metrics !== undefined,
    stop: parts.stop,
  }
}
