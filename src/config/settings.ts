import * as schemas from './schemas.ts'
import type { Setting, ValueOf } from './setting.ts'
import { budgetItems } from '../worlds/limits.ts'
import { count, size, sizeFrom } from './schemas.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { formatSettleAfter, type SettleAfter } from '../service/vocabulary/settle-after.ts'
import { callbackSettings, mailSettings } from './callback-settings.ts'
import { signUpSettings } from './sign-up-settings.ts'
import { worldSettings } from './world-settings.ts'

export const serverSettings = {
  port: {
    variable: 'SANDBOX_PORT',
    general: { variable: 'PORT' },
    about: 'The port to listen on. 0 selects a free port and prints it.',
    schema: () => schemas.wholeNumber(0, 65_535),
    fallback: '8080',
  },
  host: {
    variable: 'SANDBOX_HOST',
    general: { variable: 'HOST' },
    about: 'The address to listen on.',
    schema: schemas.host,
    fallback: '127.0.0.1',
  },
  processUrl: {
    variable: 'SANDBOX_PROCESS_URL',
    about:
      'With SANDBOX_DATABASE_URL, the URL at which the other processes reach this one to forward requests (docs/several-processes.md). `auto` is its address on the first network interface. With `off`, processes forward nothing, and lock worlds instead.',
    schema: schemas.processUrl,
    fallback: 'auto',
  },
  shutdownDelay: {
    variable: 'SANDBOX_SHUTDOWN_DELAY',
    about:
      'How long the sandbox keeps serving requests after a shutdown signal while `/readyz` reports it as not ready. Set it to the time that a load balancer needs to notice (docs/hosting.md).',
    schema: () => schemas.durationWithin({ most: 600_000 }),
    fallback: '0',
  },
  mode: {
    variable: 'SANDBOX_MODE',
    about:
      '`hosted` is for public sandboxes (docs/hosting.md): it requires a password and an admin token, sends callbacks only to public addresses, and does not allow framing.',
    schema: () => schemas.oneOf('local', 'hosted'),
    fallback: 'local',
  },
  headers: {
    variable: 'SANDBOX_HEADERS',
    about: 'Whether responses have the headers that begin with `Sandbox-`.',
    schema: schemas.onOrOff,
    fallback: 'on',
  },
  rateLimit: {
    variable: 'SANDBOX_RATE_LIMIT',
    about:
      'Maximum number of requests per minute and API key, counting `name` and all `name+anything` together. Further requests get 429.',
    schema: () => schemas.wholeNumber(1),
    fallback: null,
  },
  addressRateLimit: {
    variable: 'SANDBOX_ADDRESS_RATE_LIMIT',
    about:
      'Maximum number of requests per minute and address, where an IPv6 network of 64 bits counts as one address. Further requests get 429.',
    schema: schemas.count,
    fallback: 'none',
    hosted: '12000',
  },
  failureLimit: {
    variable: 'SANDBOX_FAILURE_LIMIT',
    about:
      'Maximum number of requests with wrong credentials per minute, address and username, and ten times as many for all usernames. Further requests get 429, unless the sandbox already knows that their credentials are correct.',
    schema: schemas.count,
    fallback: 'none',
    hosted: '20',
  },
  publicUrl: {
    variable: 'SANDBOX_PUBLIC_URL',
    about:
      'The address of the sandbox behind a proxy, such as `https://pay.example.com` or `https://example.com/pay`, where the proxy must remove the path. All links begin with it.',
    schema: schemas.publicUrl,
    fallback: null,
  },
  trustedProxies: {
    variable: 'SANDBOX_TRUSTED_PROXIES',
    about:
      'Proxies whose `X-Forwarded-*` and `Forwarded` headers determine the address of the client and, without `SANDBOX_PUBLIC_URL`, the address of the sandbox.',
    schema: schemas.networks,
    fallback: null,
  },
  allowedHosts: {
    variable: 'SANDBOX_ALLOWED_HOSTS',
    about:
      'Host names of the sandbox, in addition to IP addresses, `localhost`, names without a dot and internal names (`.internal`, `.local`, `.svc`, …). Requests to other hosts get 403.',
    schema: schemas.hosts,
    fallback: 'none',
    hosted: '*',
  },
  embedOrigins: {
    variable: 'SANDBOX_EMBED_ORIGINS',
    about: 'Origins whose pages may embed the documentation and read the OpenAPI description.',
    schema: schemas.origins,
    fallback: '*',
    hosted: 'none',
  },
  corsOrigins: {
    variable: 'SANDBOX_CORS_ORIGINS',
    about:
      'Origins whose pages may call the service and `/sandbox`; `*` only in local mode (docs/embedding.md).',
    schema: schemas.callingOrigins,
    fallback: 'none',
  },
  adminToken: {
    variable: 'SANDBOX_ADMIN_TOKEN',
    about: 'The bearer token of `/__admin`, required in hosted mode, with at least 16 characters.',
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  adminTokens: {
    variable: 'SANDBOX_ADMIN_TOKENS',
    about:
      'Further tokens of `/__admin`, each with the name of its owner for the audit and the log. Remove an entry to revoke it.',
    schema: schemas.namedTokens,
    fallback: null,
    secret: true,
  },
  certificationKey: {
    variable: 'SANDBOX_CERTIFICATION_KEY',
    about:
      'The key that signs reports of `POST /sandbox/certifications`. Without it they are unsigned (docs/certification.md).',
    schema: schemas.ed25519Key,
    fallback: null,
    secret: true,
  },
  certificationPlans: {
    variable: 'SANDBOX_CERTIFICATION_PLANS',
    about:
      'Your own plans of certification, in addition to the shipped ones: files and folders, comma-separated (docs/certification.md).',
    schema: schemas.list,
    fallback: null,
  },
  certificationPlan: {
    variable: 'SANDBOX_CERTIFICATION_PLAN',
    about:
      'The plans of which a witnessed run must follow one, comma-separated. Without it, any run is possible.',
    schema: schemas.list,
    fallback: null,
  },
  auditEntries: {
    variable: 'SANDBOX_AUDIT_ENTRIES',
    about:
      'Maximum number of audit entries for each of `/__admin`, owners of worlds, and guests; for one world a tenth (docs/hosting.md).',
    schema: () => schemas.wholeNumber(10, 1_000_000),
    fallback: '10000',
  },
  extensions: {
    variable: 'SANDBOX_EXTENSIONS',
    about:
      'Whether to serve the operations of the previous API generation, which are not part of the specification (docs/previous-generation.md).',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  mcp: {
    variable: 'SANDBOX_MCP',
    about: 'Whether to serve `/mcp`, the tools for coding agents (docs/coding-agents.md).',
    schema: schemas.onOrOff,
    fallback: 'on',
  },
  metrics: {
    variable: 'SANDBOX_METRICS',
    about: 'Whether to serve `/metrics` in the Prometheus format.',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  logLevel: {
    variable: 'SANDBOX_LOG_LEVEL',
    general: { variable: 'LOG_LEVEL', lenient: true },
    about: 'The lowest level of log lines.',
    schema: schemas.logLevel,
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>

export const storageSettings = {
  db: {
    variable: 'SANDBOX_DB',
    about: 'A file of JSON lines that keeps the data over restarts. Without it the data stays in memory.',
    schema: schemas.text,
    fallback: null,
  },
  databaseUrl: {
    variable: 'SANDBOX_DATABASE_URL',
    about:
      'A PostgreSQL database for all data, so that several processes can serve one sandbox (docs/several-processes.md). Not together with `SANDBOX_DB`.',
    schema: schemas.databaseUrl,
    fallback: null,
    secret: true,
  },
  databaseUrls: {
    variable: 'SANDBOX_DATABASE_URLS',
    about:
      'Instead of `SANDBOX_DATABASE_URL`: several databases that share the worlds (docs/several-processes.md).',
    schema: schemas.databaseUrls,
    fallback: null,
    secret: true,
  },
  dbSync: {
    variable: 'SANDBOX_DB_SYNC',
    about:
      'Whether each response waits until its changes are on the disk, so that they survive a power failure.',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  maxMemory: {
    variable: 'SANDBOX_MAX_MEMORY',
    about: 'Maximum memory for all worlds. Beyond it, no world can be created or grow.',
    schema: schemas.sizeOrShare,
    fallback: 'none',
    hosted: '50%',
  },
} as const satisfies Record<string, Setting>

export function storageIssues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const given = ['SANDBOX_DB', 'SANDBOX_DATABASE_URL', 'SANDBOX_DATABASE_URLS'].filter((name) => env[name])
  return given.length > 1 ? [`${given.join(' and ')} are set; keep one of them`] : []
}

export const budgetSettings = {
  worldRows: { ...budgetItems.rows, schema: size },
  worldInboxes: { ...budgetItems.inboxes, schema: size },
  worldRequestLog: { ...budgetItems.request_log, schema: () => sizeFrom(2 ** 20) },
  worldSnapshots: { ...budgetItems.snapshots, schema: size },
  worldSnapshotCount: { ...budgetItems.snapshot_count, schema: count },
  worldScenarios: { ...budgetItems.scenarios, schema: size },
  worldBodies: { ...budgetItems.bodies, schema: size },
  worldWaiters: { ...budgetItems.waiters, schema: count },
  worldStreams: { ...budgetItems.streams, schema: count },
  worldRequests: { ...budgetItems.requests, schema: count },
  worldInboxRequests: { ...budgetItems.inbox_requests, schema: count },
  worldCallbacks: { ...budgetItems.callbacks, schema: count },
  worldCallbacksPerDay: { ...budgetItems.callbacks_per_day, schema: count },
  worldMails: { ...budgetItems.mails, schema: count },
} satisfies Record<string, Setting>

/** All settings by their names in `Config`. */
export const settings = {
  ...serverSettings,
  ...worldSettings,
  ...signUpSettings,
  ...callbackSettings,
  ...storageSettings,
  ...mailSettings,
  ...budgetSettings,
}

/** The values of all settings; null for a setting without a value and a default. */
export type Config = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> }

/** Settings that callers notice, with the functions that format them. None is secret. */
const visible: { readonly [Name in keyof Config]?: (value: never) => string } = {
  mode: String,
  settleAfter: (after: SettleAfter) => formatSettleAfter(after),
  realism: String,
  payer: String,
  validation: String,
  generation: String,
  extensions: String,
  headers: String,
  rateLimit: String,
  callbackShape: String,
  signatures: String,
  retryProfile: String,
  retrySpeed: String,
  callbackTimeout: (ms: number) => formatDuration(ms),
}

/** Returns the visible settings that differ from the documented defaults, such as `SANDBOX_SETTLE_AFTER=0`. */
export const settingsToKnow = (config: Config): readonly string[] =>
  Object.entries(visible).flatMap(([name, write]) => {
    const { variable, fallback } = settings[name as keyof Config]
    const value = config[name as keyof Config]
    const written = value === null ? null : write(value as never)
    return written === null || written === fallback ? [] : [`${variable}=${written}`]
  })
