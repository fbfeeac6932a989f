import { FASTEST_PACE, SLOWEST_PACE } from '../duration.ts'
import { logLevels } from '../log/levels.ts'
import { budgetSettings } from './budget-settings.ts'
import {
  anything,
  count,
  durationWithin,
  factor,
  host,
  hosts,
  keep,
  networks,
  oneOf,
  origins,
  ports,
  recipients,
  sizeOrShare,
  smtpUrl,
  text,
  textWithout,
  timeZone,
  wholeNumber,
  type Reader,
} from './readers.ts'

export interface Setting<T = unknown> {
  readonly variable: string
  /** One line for the reader of the README. */
  readonly about: string
  readonly reader: Reader<T>
  /** What an absent or empty variable means, as it would be written there; null: nothing is set. */
  readonly fallback: string | null
  /** The same with SANDBOX_MODE=hosted, where it is another. */
  readonly hosted?: string
  /** The value is never shown. */
  readonly secret?: true
}

/** Every setting there is; a new one is one entry here. The key is its name in `Config`. */
export const settings = {
  port: {
    variable: 'PORT',
    about: 'The port to listen on; 0 picks a free one and prints it.',
    reader: wholeNumber(0, 65_535),
    fallback: '8080',
  },
  host: {
    variable: 'HOST',
    about: 'The address to listen on.',
    reader: host,
    fallback: '127.0.0.1',
  },
  apiUsername: {
    variable: 'SANDBOX_API_USERNAME',
    about:
      'The API username of the default world, unless a seed file names another; `name+anything` is a world of its own.',
    // Basic credentials end the name at ':', and '+' begins the name of a disposable world.
    reader: textWithout(':+'),
    fallback: 'demo',
  },
  apiPassword: {
    variable: 'SANDBOX_API_PASSWORD',
    about: 'The API password of the default world, unless a seed file has keys of its own.',
    reader: text,
    fallback: 'demo',
    secret: true,
  },
  viewerPassword: {
    variable: 'SANDBOX_VIEWER_PASSWORD',
    about:
      'The password of the key `viewer`, which may only read. Without it `viewer` while the API password is `demo`, else derived from that (docs/hosting.md).',
    reader: text,
    fallback: null,
    secret: true,
  },
  settleAfter: {
    variable: 'SANDBOX_SETTLE_AFTER',
    about: 'How long a transaction stays queued before it settles.',
    reader: durationWithin(),
    fallback: '2s',
  },
  callbackShape: {
    variable: 'SANDBOX_CALLBACK_SHAPE',
    about: 'The shape of callback bodies; `nested` is for older integrations.',
    reader: oneOf('flat', 'nested'),
    fallback: 'flat',
  },
  signatures: {
    variable: 'SANDBOX_SIGNATURES',
    about:
      'How callbacks are signed: one or several profiles of docs/signatures.md, such as `standard,stripe`, or `none`; a JSON list can also hold `custom` ones.',
    reader: text,
    fallback: 'standard',
  },
  signingSecret: {
    variable: 'SANDBOX_SIGNING_SECRET',
    about:
      'The signing secret of the default world: `whsec_` and the base64 of 24 to 64 bytes; those of other worlds are derived from it. Without it the public one of docs/signatures.md, in hosted mode one derived from the API password and the admin token.',
    reader: text,
    fallback: null,
    secret: true,
  },
  retryProfile: {
    variable: 'SANDBOX_RETRY_PROFILE',
    about: 'When a callback that failed is tried again.',
    reader: oneOf('sandbox', 'svix', 'standard', 'adyen', 'paystack', 'none'),
    fallback: 'sandbox',
  },
  retrySpeed: {
    variable: 'SANDBOX_RETRY_SPEED',
    about: 'Divides every pause between attempts, 0.001 to 1000000; 3600 makes 72 hours 72 seconds.',
    reader: factor(SLOWEST_PACE, FASTEST_PACE),
    fallback: '1',
  },
  retryJitter: {
    variable: 'SANDBOX_RETRY_JITTER',
    about: 'Whether chance moves each pause by up to 10 % either way.',
    reader: oneOf('on', 'off'),
    fallback: 'on',
  },
  callbackTimeout: {
    variable: 'SANDBOX_CALLBACK_TIMEOUT',
    about: 'How long a receiver may take to answer a callback.',
    reader: durationWithin({ least: 1, most: 30_000 }),
    fallback: '10s',
  },
  callbackPorts: {
    variable: 'SANDBOX_CALLBACK_PORTS',
    about:
      'The ports that callbacks may go to, such as 443,8443, or `*`; all in local mode, 80, 443, 8080 and 8443 in hosted mode.',
    reader: ports,
    fallback: null,
  },
  maxConnections: {
    variable: 'SANDBOX_MAX_CONNECTIONS',
    about:
      'How many connections callbacks may have at once; one world has a quarter of them, and what is over waits.',
    reader: wholeNumber(1, 100_000),
    fallback: '512',
  },
  callbackRewrite: {
    variable: 'SANDBOX_CALLBACK_REWRITE',
    about:
      'Other hosts for callback addresses, such as `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`.',
    reader: text,
    fallback: null,
  },
  mode: {
    variable: 'SANDBOX_MODE',
    about:
      '`hosted` is for strangers (docs/hosting.md): it needs a password and an admin token of its own, calls only addresses of the public internet, and is framed by nobody.',
    reader: oneOf('local', 'hosted'),
    fallback: 'local',
  },
  resetCron: {
    variable: 'SANDBOX_RESET_CRON',
    about: 'When the default world goes back to its seed, as a cron expression such as `0 3 * * *`.',
    reader: text,
    fallback: null,
  },
  timeZone: {
    variable: 'SANDBOX_TIME_ZONE',
    about: 'The time zone of cron expressions.',
    reader: timeZone,
    fallback: 'UTC',
  },
  validation: {
    variable: 'SANDBOX_VALIDATION',
    about:
      'Which request fields are required: all that are documented, or those that older integrations send.',
    reader: oneOf('documented', 'lenient'),
    fallback: 'documented',
  },
  seed: {
    variable: 'SANDBOX_SEED',
    about: 'What made-up ids and data are drawn from; the same seed gives the same ones.',
    reader: text,
    fallback: 'sandbox',
  },
  scenarios: {
    variable: 'SANDBOX_SCENARIOS',
    about:
      'Your own scenarios: a folder, a file, or YAML. A file of a shipped name replaces the shipped one.',
    reader: anything,
    fallback: null,
  },
  headers: {
    variable: 'SANDBOX_HEADERS',
    about: 'Whether answers have the headers that begin with `Sandbox-`.',
    reader: oneOf('on', 'off'),
    fallback: 'on',
  },
  db: {
    variable: 'SANDBOX_DB',
    about: 'The JSON file that keeps the rows over restarts; without it they are kept in memory.',
    reader: text,
    fallback: null,
  },
  dbSync: {
    variable: 'SANDBOX_DB_SYNC',
    about:
      'Whether an answer waits until what it tells of is on the disk, so that a power cut does not take it either.',
    reader: oneOf('on', 'off'),
    fallback: 'off',
  },
  rateLimit: {
    variable: 'SANDBOX_RATE_LIMIT',
    about:
      'How many requests a minute one API key may make, `name` and all its `name+anything` together; more are answered 429.',
    reader: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    fallback: null,
  },
  addressRateLimit: {
    variable: 'SANDBOX_ADDRESS_RATE_LIMIT',
    about:
      'How many requests a minute come from one address, an IPv6 network of 64 bits for one; more are answered 429.',
    reader: count,
    fallback: 'none',
    hosted: '12000',
  },
  failureLimit: {
    variable: 'SANDBOX_FAILURE_LIMIT',
    about:
      'How many requests a minute with wrong credentials come from one address; then all of its requests with credentials are answered 429.',
    reader: count,
    fallback: 'none',
    hosted: '20',
  },
  trustedProxies: {
    variable: 'SANDBOX_TRUSTED_PROXIES',
    about: 'The proxies whose `X-Forwarded-For` says where a request came from.',
    reader: networks,
    fallback: null,
  },
  ...budgetSettings,
  maxMemory: {
    variable: 'SANDBOX_MAX_MEMORY',
    about: 'How much memory all worlds together may take; beyond it none is made and none may grow.',
    reader: sizeOrShare,
    fallback: 'none',
    hosted: '50%',
  },
  adminToken: {
    variable: 'SANDBOX_ADMIN_TOKEN',
    about: 'The bearer token of `/__admin`; `hosted` does not start without one of at least 16 characters.',
    reader: text,
    fallback: null,
    secret: true,
  },
  worldTtl: {
    variable: 'SANDBOX_WORLD_TTL',
    about: 'How long a disposable world is kept after its last request.',
    reader: durationWithin(),
    fallback: '24h',
  },
  maxWorlds: {
    variable: 'SANDBOX_MAX_WORLDS',
    about: 'How many worlds there may be at once; more are answered 429.',
    reader: wholeNumber(1, 1_000_000),
    fallback: '10000',
  },
  keep: {
    variable: 'SANDBOX_KEEP',
    about:
      'For how long a world keeps transactions that are over, and how many of them, such as `30d,20000`; `off` keeps all. What goes is carried forward in the ledger.',
    reader: keep,
    fallback: '30d,20000',
  },
  journalSize: {
    variable: 'SANDBOX_JOURNAL_SIZE',
    about: 'How many requests a world remembers.',
    reader: wholeNumber(1, 1_000_000),
    fallback: '1000',
  },
  seedFile: {
    variable: 'SANDBOX_SEED_FILE',
    about: 'The YAML or JSON file that the default world and its copies start with.',
    reader: text,
    fallback: null,
  },
  metrics: {
    variable: 'SANDBOX_METRICS',
    about: 'Whether `/metrics` is served, in the form of Prometheus.',
    reader: oneOf('on', 'off'),
    fallback: 'off',
  },
  smtpUrl: {
    variable: 'SANDBOX_SMTP_URL',
    about: 'Where the mails of the outbox are sent too, such as smtp://127.0.0.1:1025.',
    reader: smtpUrl,
    fallback: null,
    secret: true,
  },
  mailDomains: {
    variable: 'SANDBOX_MAIL_DOMAINS',
    about:
      'The domains and addresses that mails are sent to by SMTP, or `*`; all in local mode, none in hosted mode.',
    reader: recipients,
    fallback: null,
  },
  mailLinks: {
    variable: 'SANDBOX_MAIL_LINKS',
    about:
      'The origins that links in mails sent by SMTP may have, or `*`; all in local mode, none in hosted mode.',
    reader: origins,
    fallback: null,
  },
  embedOrigins: {
    variable: 'SANDBOX_EMBED_ORIGINS',
    about: 'The origins whose pages may show the documentation and read the description.',
    reader: origins,
    fallback: '*',
    hosted: 'none',
  },
  allowedHosts: {
    variable: 'SANDBOX_ALLOWED_HOSTS',
    about:
      'By which names the sandbox may be called beside addresses, `localhost`, names without a dot and those of inner networks (`.internal`, `.local`, `.svc`, …); requests by others are answered 403.',
    reader: hosts,
    fallback: 'none',
    hosted: '*',
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    about: 'The least important lines that are logged.',
    reader: oneOf(...logLevels),
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>

type Settings = typeof settings
type ReadAs<S> = S extends { reader: Reader<infer T> } ? T : never

/** What the process was told; a setting without a value or a default is null. */
export type Config = {
  readonly [Name in keyof Settings]:
    ReadAs<Settings[Name]> | (Settings[Name]['fallback'] extends null ? null : never)
}
