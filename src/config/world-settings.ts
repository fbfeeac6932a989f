import { formatDuration } from '../lib/text/duration.ts'
import { DEFAULT_SETTLE_AFTER } from '../service/vocabulary/settle-after.ts'
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const worldSettings = {
  apiUsername: {
    variable: 'SANDBOX_API_USERNAME',
    about:
      'The API username of the default world, unless a seed file contains another. `name+anything` is a separate world.',
    // Basic credentials end the name at ':', and '+' begins the name of a disposable world.
    schema: () => schemas.textWithout(':+'),
    fallback: 'demo',
  },
  apiPassword: {
    variable: 'SANDBOX_API_PASSWORD',
    about: 'The API password of the default world, unless a seed file contains API keys.',
    schema: schemas.text,
    fallback: 'demo',
    secret: true,
  },
  viewerPassword: {
    variable: 'SANDBOX_VIEWER_PASSWORD',
    about:
      'The password of the read-only key `viewer`. By default `viewer` if the API password is `demo`, otherwise derived from the API password (docs/hosting.md).',
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  seedFile: {
    variable: 'SANDBOX_SEED_FILE',
    about: 'A YAML or JSON file with the initial data of worlds.',
    schema: schemas.text,
    fallback: null,
  },
  seed: {
    variable: 'SANDBOX_SEED',
    about: 'Seeds generated ids and data: the same seed results in the same values.',
    schema: schemas.text,
    fallback: 'sandbox',
  },
  scenarios: {
    variable: 'SANDBOX_SCENARIOS',
    about: 'Your own scenarios: a folder, a file, or YAML. They replace shipped scenarios of the same name.',
    schema: schemas.anything,
    fallback: null,
  },
  settleAfter: {
    variable: 'SANDBOX_SETTLE_AFTER',
    about:
      'How long a transaction stays queued before it settles: a fixed duration, or a random one within a range.',
    schema: schemas.settleAfter,
    fallback: formatDuration(DEFAULT_SETTLE_AFTER),
  },
  payer: {
    variable: 'SANDBOX_PAYER',
    about:
      'Who completes a pay-in: the sandbox after `SANDBOX_SETTLE_AFTER`, a payer by hand on the phone or payment page, or the payer only while the phones are being watched.',
    schema: () => schemas.oneOf('automatic', 'manual', 'manual_while_watched'),
    fallback: 'automatic',
  },
  realism: {
    variable: 'SANDBOX_REALISM',
    about:
      'Whether operators and banks reject what real ones would, such as a phone number of another network; `field` adds latency, failures, outages, bank hours and late callbacks (docs/simulation.md).',
    schema: () => schemas.oneOf('plain', 'realistic', 'field'),
    fallback: 'plain',
  },
  observed: {
    variable: 'SANDBOX_OBSERVED',
    about:
      'A file that describes how the service was observed to differ, as `payments-sandbox learn` writes it (docs/record-and-compare.md).',
    schema: schemas.text,
    fallback: null,
  },
  validation: {
    variable: 'SANDBOX_VALIDATION',
    about: 'Which request fields are required: all documented ones, or those that older integrations send.',
    schema: () => schemas.oneOf('documented', 'lenient'),
    fallback: 'documented',
  },
  generation: {
    variable: 'SANDBOX_GENERATION',
    about:
      'The form of responses to collections and withdrawals: that of the specification, or that of the previous API generation with UUIDs and `ws_CO_` (docs/previous-generation.md).',
    schema: () => schemas.oneOf('current', 'previous'),
    fallback: 'current',
  },
  worldTtl: {
    variable: 'SANDBOX_WORLD_TTL',
    about: 'How long a disposable world lives after its last request.',
    schema: schemas.duration,
    fallback: '24h',
  },
  worldIdle: {
    variable: 'SANDBOX_WORLD_IDLE',
    about:
      'With `SANDBOX_DATABASE_URL`: how long a process keeps an unused world open. The next request reopens it.',
    schema: schemas.duration,
    fallback: '5m',
  },
  openWorlds: {
    variable: 'SANDBOX_OPEN_WORLDS',
    about:
      'With `SANDBOX_DATABASE_URL`: maximum number of open worlds per process. Beyond it, the least recently used are closed.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '2000',
  },
  maxWorlds: {
    variable: 'SANDBOX_MAX_WORLDS',
    about: 'Maximum number of worlds. Requests for more get 429.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '10000',
  },
  retention: {
    variable: 'SANDBOX_RETENTION',
    about:
      'How long and how many ended transactions a world keeps, such as `30d,20000`; `off` keeps all. The ledger carries the balances of archived transactions forward.',
    schema: schemas.keep,
    fallback: '30d,20000',
  },
  requestLogSize: {
    variable: 'SANDBOX_REQUEST_LOG_SIZE',
    about: 'Maximum number of requests in the request log of a world.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '1000',
  },
  resetCron: {
    variable: 'SANDBOX_RESET_CRON',
    about: 'When to reset the default world to its seed, as a cron expression such as `0 3 * * *`.',
    schema: schemas.text,
    fallback: null,
  },
  timeZone: {
    variable: 'SANDBOX_TIME_ZONE',
    about: 'The time zone of cron expressions.',
    schema: schemas.timeZone,
    fallback: 'UTC',
  },
} as const satisfies Record<string, Setting>
