/** Where rows are kept, and how much memory they may take. */
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const storageSettings = {
  db: {
    variable: 'SANDBOX_DB',
    about: 'The JSON file that keeps the rows over restarts; without it they are kept in memory.',
    schema: schemas.text,
    fallback: null,
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
