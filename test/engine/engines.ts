import { join } from 'node:path'
import type { Engine } from '../../src/engine/engine.ts'
import { openFileEngine } from '../../src/engine/file/engine.ts'
import { createMemoryEngine } from '../../src/engine/memory/engine.ts'
import { openPostgresEngine } from '../../src/engine/postgres/engine.ts'
import { createCopyingEngine } from '../support/copying-engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { emptyDatabase, testDatabase } from '../support/postgres.ts'

type Create = () => Promise<Engine>

/** Engines that several sandboxes of one process may share. */
export const shared: readonly [name: string, create: Create][] = [
  ['in memory', createMemoryEngine],
  ['that answers copies', createCopyingEngine],
]

/** An engine over an empty database. */
export const createPostgresEngine = async (): Promise<Engine> =>
  openPostgresEngine({ url: await emptyDatabase(), time: 'given' })

/** Every engine there is; that in PostgreSQL where the tests have one. */
export const engines: readonly [name: string, create: Create][] = [
  ...shared,
  ['in a file', () => openFileEngine({ path: join(temporaryFolder(), 'rows.json') })],
  ...(testDatabase ? [['in PostgreSQL', createPostgresEngine] as [string, Create]] : []),
]
