import { formatDuration } from '../lib/text/duration.ts'
import { DEFAULT_SETTLE_AFTER } from '../service/vocabulary/settle-after.ts'
import * as read from './readers.ts'
import { named } from './setting.ts'

export const worldSettings = named({
  apiUsername: {
    about:
      'The API username of the default world, unless a seed file contains another. `name+anything` is a separate world.',
    // Basic credentials end the name at ':', and '+' begins the name of a disposable world.
    reads: read.textWithout(':+'),
    fallback: 'demo',
  },
  apiPassword: {
    about: 'The API password of the default world, unless a seed file contains API keys.',
    reads: read.text,
    fallback: 'demo',
    secret: true,
  },
  viewerPassword: {
    about:
      'The password of the read-only key `viewer`. By default `viewer` if the API password is `demo`, otherwise derived from the API password (docs/hosting.md).',
    reads: read.text,
    secret: true,
  },
  seedFile: {
    about: 'A YAML or JSON file with the initial data of worlds.',
    reads: read.text,
  },
  seed: {
    about: 'Seeds generated ids and data: the same seed results in the same values.',
    reads: read.text,
    fallback: 'sandbox',
  },
  scenarios: {
    about: 'Your own scenarios: a folder, a file, or YAML. They replace shipped scenarios of the same name.',
    reads: read.anything,
  },
  settleAfter: {
    about:
      'How long a transaction stays queued before it settles: a fixed duration, or a random one within a range.',
    reads: read.settleAfter,
    fallback: formatDuration(DEFAULT_SETTLE_AFTER),
  },
  payer: {
    about:
      'Who completes a pay-in: the sandbox after `SANDBOX_SETTLE_AFTER`, a payer by hand on the phone or payment page, or the payer only while the phones are being watched.',
    reads: read.oneOf('automatic', 'manual', 'manual_while_watched'),
    fallback: 'automatic',
  },
  realism: {
    about:
      'Whether operators and banks reject what real ones would, such as a phone number of another network; `field` adds latency, failures, outages, bank hours and late callbacks (docs/simulation.md).',
    reads: read.oneOf('plain', 'realistic', 'field'),
    fallback: 'plain',
  },
  observed: {
    about:
      'A file that describes how the service was observed to differ, as `payments-sandbox learn` writes it (docs/record-and-compare.md).',
    reads: read.text,
  },
  validation: {
    about: 'Which request fields are required: all documented ones, or those that older integrations send.',
    reads: read.oneOf('documented', 'lenient'),
    fallback: 'documented',
  },
  generation: {
    about:
      'The form of responses to collections and withdrawals: that of the specification, or that of the previous API generation with UUIDs and `ws_CO_` (docs/previous-generation.md).',
    reads: read.oneOf('current', 'previous'),
    fallback: 'current',
  },
  worldTtl: {
    about: 'How long a disposable world lives after its last request.',
    reads: read.duration,
    fallback: '24h',
  },
  worldIdle: {
    about:
      'With `SANDBOX_DATABASE_URL`: how long a process keeps an unused world open. The next request reopens it.',
    reads: read.duration,
    fallback: '5m',
  },
  openWorlds: {
    about:
      'With `SANDBOX_DATABASE_URL`: maximum number of open worlds per process. Beyond it, the least recently used are closed.',
    reads: read.wholeNumber(1, 1_000_000),
    fallback: '2000',
  },
  maxWorlds: {
    about: 'Maximum number of worlds. Requests for more get 429.',
    reads: read.wholeNumber(1, 1_000_000),
    fallback: '10000',
  },
  retention: {
    about:
      'How long and how many ended transactions a world keeps, such as `30d,20000`; `off` keeps all. The ledger carries the balances of archived transactions forward.',
    reads: read.keep,
    fallback: '30d,20000',
  },
  requestLogSize: {
    about: 'Maximum number of requests in the request log of a world.',
    reads: read.wholeNumber(1, 1_000_000),
    fallback: '1000',
  },
  resetCron: {
    about: 'When to reset the default world to its seed, as a cron expression such as `0 3 * * *`.',
    reads: read.text,
  },
  timeZone: {
    about: 'The time zone of cron expressions.',
    reads: read.timeZone,
    fallback: 'UTC',
  },
})
