/** What worlds are made of, and how long they and what is in them are kept. */
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const worldSettings = {
  apiUsername: {
    variable: 'SANDBOX_API_USERNAME',
    about:
      'The API username of the default world, unless a seed file names another; `name+anything` is a world of its own.',
    // Basic credentials end the name at ':', and '+' begins the name of a disposable world.
    schema: () => schemas.textWithout(':+'),
    fallback: 'demo',
  },
  apiPassword: {
    variable: 'SANDBOX_API_PASSWORD',
    about: 'The API password of the default world, unless a seed file has keys of its own.',
    schema: schemas.text,
    fallback: 'demo',
    secret: true,
  },
  viewerPassword: {
    variable: 'SANDBOX_VIEWER_PASSWORD',
    about:
      'The password of the key `viewer`, which may only read. Without it `viewer` while the API password is `demo`, else derived from that (docs/hosting.md).',
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  seedFile: {
    variable: 'SANDBOX_SEED_FILE',
    about: 'The YAML or JSON file that the default world and its copies start with.',
    schema: schemas.text,
    fallback: null,
  },
  seed: {
    variable: 'SANDBOX_SEED',
    about: 'What made-up ids and data are drawn from; the same seed gives the same ones.',
    schema: schemas.text,
    fallback: 'sandbox',
  },
  scenarios: {
    variable: 'SANDBOX_SCENARIOS',
    about:
      'Your own scenarios: a folder, a file, or YAML. A file of a shipped name replaces the shipped one.',
    schema: schemas.anything,
    fallback: null,
  },
  settleAfter: {
    variable: 'SANDBOX_SETTLE_AFTER',
    about: 'How long a transaction stays queued before it settles: always so long, or drawn for each.',
    schema: schemas.settleAfter,
    fallback: '2s',
  },
  payer: {
    variable: 'SANDBOX_PAYER',
    about:
      'Who ends a pay-in: the sandbox after `SANDBOX_SETTLE_AFTER`; a payer by hand, on the phone or the page; or the payer only while somebody watches the phones.',
    schema: () => schemas.oneOf('automatic', 'by_hand', 'by_hand_while_watched'),
    fallback: 'automatic',
  },
  realism: {
    variable: 'SANDBOX_REALISM',
    about:
      'Whether operators and banks refuse what real ones would, such as a number of another network (docs/simulation.md).',
    schema: () => schemas.oneOf('plain', 'realistic'),
    fallback: 'plain',
  },
  validation: {
    variable: 'SANDBOX_VALIDATION',
    about:
      'Which request fields are required: all that are documented, or those that older integrations send.',
    schema: () => schemas.oneOf('documented', 'lenient'),
    fallback: 'documented',
  },
  generation: {
    variable: 'SANDBOX_GENERATION',
    about:
      'The form of what collections and withdrawals answer: that of the specification, or the older one of UUIDs and `ws_CO_` (docs/previous-generation.md).',
    schema: () => schemas.oneOf('current', 'older'),
    fallback: 'current',
  },
  worldTtl: {
    variable: 'SANDBOX_WORLD_TTL',
    about: 'How long a disposable world is kept after its last request.',
    schema: schemas.duration,
    fallback: '24h',
  },
  worldIdle: {
    variable: 'SANDBOX_WORLD_IDLE',
    about:
      'With `SANDBOX_DATABASE_URL`: how long a process keeps a world open that nobody uses; the next request opens it again.',
    schema: schemas.duration,
    fallback: '5m',
  },
  openWorlds: {
    variable: 'SANDBOX_OPEN_WORLDS',
    about:
      'With `SANDBOX_DATABASE_URL`: how many worlds a process keeps open; beyond them it closes those that were used longest ago.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '2000',
  },
  maxWorlds: {
    variable: 'SANDBOX_MAX_WORLDS',
    about: 'How many worlds there may be at once; more are answered 429.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '10000',
  },
  keep: {
    variable: 'SANDBOX_KEEP',
    about:
      'For how long a world keeps transactions that are over, and how many of them, such as `30d,20000`; `off` keeps all. What goes is carried forward in the ledger.',
    schema: schemas.keep,
    fallback: '30d,20000',
  },
  journalSize: {
    variable: 'SANDBOX_JOURNAL_SIZE',
    about: 'How many requests a world remembers.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '1000',
  },
  resetCron: {
    variable: 'SANDBOX_RESET_CRON',
    about: 'When the default world goes back to its seed, as a cron expression such as `0 3 * * *`.',
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
