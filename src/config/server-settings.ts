import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

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
