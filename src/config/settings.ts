import * as read from './readers.ts'
import { type Environment, named, type Setting, type ValueOf } from './setting.ts'
import { budgetItems } from '../worlds/limits.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { formatSettleAfter, type SettleAfter } from '../service/vocabulary/settle-after.ts'
import { callbackSettings, mailSettings } from './callback-settings.ts'
import { signUpSettings } from './sign-up-settings.ts'
import { worldSettings } from './world-settings.ts'

export const serverSettings = named({
  port: {
    general: { variable: 'PORT' },
    about: 'The port to listen on. 0 selects a free port and prints it.',
    reads: read.wholeNumber(0, 65_535),
    fallback: '8080',
  },
  host: {
    general: { variable: 'HOST' },
    about: 'The address to listen on.',
    reads: read.host,
    fallback: '127.0.0.1',
  },
  processUrl: {
    about:
      'With SANDBOX_DATABASE_URL, the URL at which the other processes reach this one to forward requests (docs/several-processes.md). `auto` is its address on the first network interface. With `off`, processes forward nothing, and lock worlds instead.',
    reads: read.processUrl,
    fallback: 'auto',
  },
  shutdownDelay: {
    about:
      'How long the sandbox keeps serving requests after a shutdown signal while `/readyz` reports it as not ready. Set it to the time that a load balancer needs to notice (docs/hosting.md).',
    reads: read.durationWithin({ most: 600_000 }),
    fallback: '0',
  },
  mode: {
    about:
      '`hosted` is for public sandboxes (docs/hosting.md): it requires a password and an admin token, sends callbacks only to public addresses, and does not allow framing.',
    reads: read.oneOf('local', 'hosted'),
    fallback: 'local',
  },
  headers: {
    about: 'Whether responses have the headers that begin with `Sandbox-`.',
    reads: read.onOrOff,
    fallback: 'on',
  },
  rateLimit: {
    about:
      'Maximum number of requests per minute and API key, counting `name` and all `name+anything` together. Further requests get 429.',
    reads: read.wholeNumber(1),
  },
  addressRateLimit: {
    about:
      'Maximum number of requests per minute and address, where an IPv6 network of 64 bits counts as one address. Further requests get 429.',
    reads: read.count,
    fallback: 'none',
    hosted: '12000',
  },
  failureLimit: {
    about:
      'Maximum number of requests with wrong credentials per minute, address and username, and ten times as many for all usernames. Further requests get 429, unless the sandbox already knows that their credentials are correct.',
    reads: read.count,
    fallback: 'none',
    hosted: '20',
  },
  publicUrl: {
    about:
      'The address of the sandbox behind a proxy, such as `https://pay.example.com` or `https://example.com/pay`, where the proxy must remove the path. All links begin with it.',
    reads: read.publicUrl,
  },
  trustedProxies: {
    about:
      'Proxies whose `X-Forwarded-*` and `Forwarded` headers determine the address of the client and, without `SANDBOX_PUBLIC_URL`, the address of the sandbox.',
    reads: read.networks,
  },
  allowedHosts: {
    about:
      'Host names of the sandbox, in addition to IP addresses, `localhost`, names without a dot and internal names (`.internal`, `.local`, `.svc`, …). Requests to other hosts get 403.',
    reads: read.hosts,
    fallback: 'none',
    hosted: '*',
  },
  embedOrigins: {
    about: 'Origins whose pages may embed the documentation and read the OpenAPI description.',
    reads: read.origins,
    fallback: '*',
    hosted: 'none',
  },
  corsOrigins: {
    about:
      'Origins whose pages may call the service and `/sandbox`; `*` only in local mode (docs/embedding.md).',
    reads: read.callingOrigins,
    fallback: 'none',
  },
  adminToken: {
    about: 'The bearer token of `/__admin`, required in hosted mode, with at least 16 characters.',
    reads: read.text,
    secret: true,
  },
  adminTokens: {
    about:
      'Further tokens of `/__admin`, each with the name of its owner for the audit and the log. Remove an entry to revoke it.',
    reads: read.namedTokens,
    secret: true,
  },
  certificationKey: {
    about:
      'The key that signs reports of `POST /sandbox/certifications`. Without it they are unsigned (docs/certification.md).',
    reads: read.ed25519Key,
    secret: true,
  },
  certificationPlans: {
    about:
      'Your own plans of certification, in addition to the shipped ones: files and folders, comma-separated (docs/certification.md).',
    reads: read.list,
  },
  certificationPlan: {
    about:
      'The plans of which a witnessed run must follow one, comma-separated. Without it, any run is possible.',
    reads: read.list,
  },
  auditEntries: {
    about:
      'Maximum number of audit entries for each of `/__admin`, owners of worlds, and guests; for one world a tenth (docs/hosting.md).',
    reads: read.wholeNumber(10, 1_000_000),
    fallback: '10000',
  },
  extensions: {
    about:
      'Whether to serve the operations of the previous API generation, which are not part of the specification (docs/previous-generation.md).',
    reads: read.onOrOff,
    fallback: 'off',
  },
  mcp: {
    about: 'Whether to serve `/mcp`, the tools for coding agents (docs/coding-agents.md).',
    reads: read.onOrOff,
    fallback: 'on',
  },
  metrics: {
    about: 'Whether to serve `/metrics` in the Prometheus format.',
    reads: read.onOrOff,
    fallback: 'off',
  },
  logLevel: {
    general: { variable: 'LOG_LEVEL', lenient: true },
    about: 'The lowest level of log lines.',
    reads: read.logLevel,
    fallback: 'info',
  },
})

export const storageSettings = named({
  db: {
    about: 'A file of JSON lines that keeps the data over restarts. Without it the data stays in memory.',
    reads: read.text,
  },
  databaseUrl: {
    about:
      'A PostgreSQL database for all data, so that several processes can serve one sandbox (docs/several-processes.md). Not together with `SANDBOX_DB`.',
    reads: read.databaseUrl,
    secret: true,
  },
  databaseUrls: {
    about:
      'Instead of `SANDBOX_DATABASE_URL`: several databases that share the worlds (docs/several-processes.md).',
    reads: read.databaseUrls,
    secret: true,
  },
  dbSync: {
    about:
      'Whether each response waits until its changes are on the disk, so that they survive a power failure.',
    reads: read.onOrOff,
    fallback: 'off',
  },
  maxMemory: {
    about: 'Maximum memory for all worlds. Beyond it, no world can be created or grow.',
    reads: read.sizeOrShare,
    fallback: 'none',
    hosted: '50%',
  },
})

export function storageIssues(env: Environment): readonly string[] {
  const given = ['SANDBOX_DB', 'SANDBOX_DATABASE_URL', 'SANDBOX_DATABASE_URLS'].filter((name) => env[name])
  return given.length > 1 ? [`${given.join(' and ')} are set; keep one of them`] : []
}

export const budgetSettings = named({
  worldRows: { ...budgetItems.rows, reads: read.size },
  worldInboxes: { ...budgetItems.inboxes, reads: read.size },
  worldRequestLog: { ...budgetItems.request_log, reads: read.sizeFrom(2 ** 20) },
  worldSnapshots: { ...budgetItems.snapshots, reads: read.size },
  worldSnapshotCount: { ...budgetItems.snapshot_count, reads: read.count },
  worldScenarios: { ...budgetItems.scenarios, reads: read.size },
  worldBodies: { ...budgetItems.bodies, reads: read.size },
  worldWaiters: { ...budgetItems.waiters, reads: read.count },
  worldStreams: { ...budgetItems.streams, reads: read.count },
  worldRequests: { ...budgetItems.requests, reads: read.count },
  worldInboxRequests: { ...budgetItems.inbox_requests, reads: read.count },
  worldCallbacks: { ...budgetItems.callbacks, reads: read.count },
  worldCallbacksPerDay: { ...budgetItems.callbacks_per_day, reads: read.count },
  worldMails: { ...budgetItems.mails, reads: read.count },
})

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
    const { variable, fallback }: Setting = settings[name as keyof Config]
    const value = config[name as keyof Config]
    const written = value === null ? null : write(value as never)
    return written === null || written === fallback ? [] : [`${variable}=${written}`]
  })
