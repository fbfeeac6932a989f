import type { Engine } from '../../src/storage/engine/engine.ts'
import { openPostgresEngine } from '../../src/storage/engine/postgres/engine.ts'
import { openShardedEngine } from '../../src/storage/engine/postgres/sharded-engine.ts'
import type { Log } from '../../src/lib/log/log.ts'
import { createCopyingEngine } from './copying-engine.ts'
import { emptyDatabase } from './postgres.ts'

/**
 * Over what the tests of a sandbox run. By itself that is whatever its settings say, which is memory or a file; each of these
 * serves all of them as well: `TEST_ENGINE=copies npx vitest run`, and `postgres` or `shards` together with TEST_DATABASE_URL.
 */
const engines: Readonly<Record<string, (time: Time, log: Log) => Promise<Engine>>> = {
  copies: createCopyingEngine,
  postgres: async (time, log) =>
    openPostgresEngine({
      url: await emptyDatabase(),
      time,
      onError: (error, about) => log.error('listener failed', { ...about, message: String(error) }),
    }),
  shards: async (time) => openShardedEngine({ urls: [await emptyDatabase(), await emptyDatabase()], time }),
}

type Time = 'database' | 'given'
type Environment = Readonly<Record<string, string>>

const asked = process.env['TEST_ENGINE']

/** Whether the settings of a sandbox ask for an engine themselves. */
const asks = (env: Environment) =>
  env['SANDBOX_DB'] !== undefined || env['SANDBOX_DATABASE_URL'] !== undefined

/**
 * The engine that was asked for, with nothing in it; undefined where the settings shall decide.
 * @param env of the sandbox
 * @param time by which its jobs fall due
 */
export async function testEngine(env: Environment, time: Time, log: Log): Promise<Engine | undefined> {
  return asked === undefined || asks(env) ? undefined : engines[asked]!(time, log)
}

/** The same for a process of its own, as settings. */
export async function engineSettings(env: Environment): Promise<Environment> {
  return asked === 'postgres' && !asks(env) ? { SANDBOX_DATABASE_URL: await emptyDatabase() } : {}
}

/** Whether tests run over a database, where what they say of one process's memory does not hold. */
export const isRemote = asked === 'postgres' || asked === 'shards'

/** What their titles end with where they are skipped for that. */
export const skippedFor = (why: string) => (isRemote ? ` (skipped over PostgreSQL: ${why})` : '')
