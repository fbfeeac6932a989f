/** Where rows are kept, how much memory they may take, and the budgets of worlds. */
import { budgetItems } from '../worlds/budget-items.ts'
import * as schemas from './schemas.ts'
import { count, size, sizeFrom } from './schemas.ts'
import type { Setting } from './setting.ts'

export const storageSettings = {
  db: {
    variable: 'SANDBOX_DB',
    about: 'The JSON file that keeps the rows over restarts; without it they are kept in memory.',
    schema: schemas.text,
    fallback: null,
  },
  databaseUrl: {
    variable: 'SANDBOX_DATABASE_URL',
    about:
      'The PostgreSQL database that keeps everything, so that several processes serve one sandbox (docs/several-processes.md); not together with `SANDBOX_DB`.',
    schema: schemas.databaseUrl,
    fallback: null,
    secret: true,
  },
  dbSync: {
    variable: 'SANDBOX_DB_SYNC',
    about:
      'Whether an answer waits until what it tells of is on the disk, so that a power cut does not take it either.',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  maxMemory: {
    variable: 'SANDBOX_MAX_MEMORY',
    about: 'How much memory all worlds together may take; beyond it none is made and none may grow.',
    schema: schemas.sizeOrShare,
    fallback: 'none',
    hosted: '50%',
  },
} as const satisfies Record<string, Setting>

/** What is wrong with where rows are to be kept, a line each. */
export const storageIssues = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  env['SANDBOX_DB'] && env['SANDBOX_DATABASE_URL']
    ? [
        'SANDBOX_DB and SANDBOX_DATABASE_URL are both set; rows are kept in a file or in a database: unset one of them',
      ]
    : []

/** The settings of a world's budget. */
export const budgetSettings = {
  worldRows: { ...budgetItems.rows, schema: size },
  worldInboxes: { ...budgetItems.inboxes, schema: size },
  worldJournal: { ...budgetItems.journal, schema: () => sizeFrom(2 ** 20) },
  worldSnapshots: { ...budgetItems.snapshots, schema: size },
  worldSnapshotCount: { ...budgetItems.snapshot_count, schema: count },
  worldScenarios: { ...budgetItems.scenarios, schema: size },
  worldBodies: { ...budgetItems.bodies, schema: size },
  worldWaiters: { ...budgetItems.waiters, schema: count },
  worldStreams: { ...budgetItems.streams, schema: count },
  worldRequests: { ...budgetItems.requests, schema: count },
  worldInboxRequests: { ...budgetItems.inbox_requests, schema: count },
  worldCallbacks: { ...budgetItems.callbacks, schema: count },
  worldCallbacksADay: { ...budgetItems.callbacks_a_day, schema: count },
  worldMails: { ...budgetItems.mails, schema: count },
} satisfies Record<string, Setting>
