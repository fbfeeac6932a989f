import { type AppOptions, createApp } from './app.ts'
import type { Config } from '../config/config.ts'
import { settingsToKnow } from '../config/settings.ts'
import type { ControlDependencies, ProcessSettings } from '../control/dependencies.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { packageVersion } from '../files.ts'
import { adminGuard } from '../http/admin-guard.ts'
import { callerLimits } from '../http/caller-limits.ts'
import type { Chaos } from '../http/chaos.ts'
import { clientAddress, countedAddress, unnamedProxy, type IsProxy } from '../http/client-address.ts'
import type { Metrics } from '../http/metrics.ts'
import { type Log, throttled } from '../lib/log/log.ts'
import { type Secrets, seededSecrets, systemSecrets, unforeseeable } from '../lib/random/random.ts'
import type { Library } from '../scenarios/library.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { reportKey } from '../callbacks/signatures/report-key.ts'
import type { WorldRows } from '../storage/store/store.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Beginning } from './beginning.ts'
import type { Delivery } from './delivery.ts'
import { openGuestWorlds } from './guests.ts'
import type { Time } from './time.ts'

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
