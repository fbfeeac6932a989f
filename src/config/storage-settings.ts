import { budgetItems } from '../worlds/budget-items.ts'
import * as schemas from './schemas.ts'
import { count, size, sizeFrom } from './schemas.ts'
import type { Setting } from './setting.ts'

export const storageSettings = {
  db: {
    variable: 'SANDBOX_DB',
    about: 'A JSON file that keeps the data over restarts. Without it the data stays in memory.',
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

export const storageIssues = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  env['SANDBOX_DB'] && env['SANDBOX_DATABASE_URL']
    ? ['SANDBOX_DB and SANDBOX_DATABASE_URL are both set; unset one of them']
    : []

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
