/** Where the sandbox listens, who may call it, and what it tells. */
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const serverSettings = {
  port: {
    variable: 'SANDBOX_PORT',
    general: { variable: 'PORT' },
    about: 'The port to listen on; 0 picks a free one and says which.',
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
  shutdownDelay: {
    variable: 'SANDBOX_SHUTDOWN_DELAY',
    about:
      'How long it goes on answering once it is asked to end, while `/readyz` says that it does not: as long as a load balancer takes to notice (docs/hosting.md).',
    schema: () => schemas.durationWithin({ most: 600_000 }),
    fallback: '0',
  },
  mode: {
    variable: 'SANDBOX_MODE',
    about:
      '`hosted` is for strangers (docs/hosting.md): it needs a password and an admin token of its own, calls only addresses of the public internet, and is framed by nobody.',
    schema: () => schemas.oneOf('local', 'hosted'),
    fallback: 'local',
  },
  headers: {
    variable: 'SANDBOX_HEADERS',
    about: 'Whether answers have the headers that begin with `Sandbox-`.',
    schema: schemas.onOrOff,
    fallback: 'on',
  },
  rateLimit: {
    variable: 'SANDBOX_RATE_LIMIT',
    about:
      'How many requests a minute one API key may make, `name` and all its `name+anything` together; more are answered 429.',
    schema: () => schemas.wholeNumber(1),
    fallback: null,
  },
  addressRateLimit: {
    variable: 'SANDBOX_ADDRESS_RATE_LIMIT',
    about:
      'How many requests a minute come from one address, an IPv6 network of 64 bits for one; more are answered 429.',
    schema: schemas.count,
    fallback: 'none',
    hosted: '12000',
  },
  failureLimit: {
    variable: 'SANDBOX_FAILURE_LIMIT',
    about:
      'How many requests a minute with wrong credentials one address may send for a user name, and ten times as many for all; then its requests get 429, unless the sandbox knows their credentials to be right.',
    schema: schemas.count,
    fallback: 'none',
    hosted: '20',
  },
  publicUrl: {
    variable: 'SANDBOX_PUBLIC_URL',
    about:
      'Where people and receivers reach the sandbox through a proxy, such as `https://pay.example.com` or `https://example.com/pay`, the path being one that the proxy takes away; every link that is handed out begins with it.',
    schema: schemas.publicUrl,
    fallback: null,
  },
  trustedProxies: {
    variable: 'SANDBOX_TRUSTED_PROXIES',
    about:
      'The proxies whose `X-Forwarded-*` and `Forwarded` headers say where a request came from and, without `SANDBOX_PUBLIC_URL`, by which address.',
    schema: schemas.networks,
    fallback: null,
  },
  allowedHosts: {
    variable: 'SANDBOX_ALLOWED_HOSTS',
    about:
      'By which names the sandbox may be called beside addresses, `localhost`, names without a dot and those of inner networks (`.internal`, `.local`, `.svc`, …); requests by others are answered 403.',
    schema: schemas.hosts,
    fallback: 'none',
    hosted: '*',
  },
  embedOrigins: {
    variable: 'SANDBOX_EMBED_ORIGINS',
    about: 'The origins whose pages may show the documentation and read the description.',
    schema: schemas.origins,
    fallback: '*',
    hosted: 'none',
  },
  corsOrigins: {
    variable: 'SANDBOX_CORS_ORIGINS',
    about:
      'The origins whose pages may send requests to the service and to `/sandbox` and read the answers, or, in local mode, `*` (docs/embedding.md).',
    schema: schemas.callingOrigins,
    fallback: 'none',
  },
  adminToken: {
    variable: 'SANDBOX_ADMIN_TOKEN',
    about: 'The bearer token of `/__admin`; `hosted` does not start without one of at least 16 characters.',
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  adminTokens: {
    variable: 'SANDBOX_ADMIN_TOKENS',
    about:
      'More tokens of `/__admin`, each by the name of who has it, which the audit and the log tell; one is withdrawn by leaving it out.',
    schema: schemas.namedTokens,
    fallback: null,
    secret: true,
  },
  certificationKey: {
    variable: 'SANDBOX_CERTIFICATION_KEY',
    about:
      'What reports of `POST /sandbox/certifications` are signed with; without it they are unsigned (docs/certification.md).',
    schema: schemas.ed25519Key,
    fallback: null,
    secret: true,
  },
  auditEntries: {
    variable: 'SANDBOX_AUDIT_ENTRIES',
    about:
      'How many entries the audit keeps of `/__admin`, of the owners of worlds, and of strangers, each; of one world a tenth at most (docs/hosting.md).',
    schema: () => schemas.wholeNumber(10, 1_000_000),
    fallback: '10000',
  },
  extensions: {
    variable: 'SANDBOX_EXTENSIONS',
    about:
      "Whether the operations of the API's older generation are served, which the specification does not have (docs/previous-generation.md).",
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  mcp: {
    variable: 'SANDBOX_MCP',
    about: 'Whether `/mcp` is served, where agents find tools to test with (docs/coding-agents.md).',
    schema: schemas.onOrOff,
    fallback: 'on',
  },
  metrics: {
    variable: 'SANDBOX_METRICS',
    about: 'Whether `/metrics` is served, in the form of Prometheus.',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  logLevel: {
    variable: 'SANDBOX_LOG_LEVEL',
    general: { variable: 'LOG_LEVEL', lenient: true },
    about: 'The least important lines that are logged.',
    schema: schemas.logLevel,
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>
