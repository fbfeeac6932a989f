import { join } from 'node:path'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openFileEngine } from '../../../src/storage/engine/file/engine.ts'
import { createMemoryEngine } from '../../../src/storage/engine/memory/engine.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { openShardedEngine } from '../../../src/storage/engine/postgres/sharded-engine.ts'
import { createCopyingEngine } from '../../support/copying-engine.ts'
import { closeLater } from '../../support/close-later.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { closedLater } from '../../support/open-engines.ts'
import { emptyDatabase, testDatabase } from '../../support/postgres.ts'

type Create = () => Promise<Engine>

const inProcess: readonly [name: string, create: Create][] = [
  ['in memory', createMemoryEngine],
  ['that answers copies', createCopyingEngine],
]

/** Engines for two sandboxes: a shared one in this process, or two over one database. */
export const shared: readonly [name: string, create: () => Promise<readonly [Engine, Engine]>][] = [
  ...inProcess.map(([name, create]): (typeof shared)[number] => [
    name,
    async () => {
      const engine = await create()
      return [engine, engine]
    },
  ]),
  ...(testDatabase ? [['in PostgreSQL', createPostgresEngines] as (typeof shared)[number]] : []),
]

async function createPostgresEngines(): Promise<readonly [Engine, Engine]> {
  const open = await opener()
  const engines = [await open(), await open()] as const
  for (const engine of engines) closeLater(() => engine.close())
  return engines
}

/** An engine over an empty database. */
export const createPostgresEngine = async (): Promise<Engine> => closedLater(await (await opener())())

/** Opens engines over one empty database, or over two with TEST_ENGINE=shards. */
async function opener(): Promise<() => Promise<Engine>> {
  const url = await emptyDatabase()
  if (process.env['TEST_ENGINE'] !== 'shards') return () => openPostgresEngine({ url, time: 'given' })
  const urls = [url, await emptyDatabase()]
  return () => openShardedEngine({ urls, time: 'given' })
}

/** Every engine; PostgreSQL only if a database is available. */
export const engines: readonly [name: string, create: Create][] = [
  ...inProcess,
  ['in a file', () => openFileEngine({ path: join(temporaryFolder(), 'rows.json') })],
  ...(testDatabase ? [['in PostgreSQL', createPostgresEngine] as [string, Create]] : []),
]
