import { type Config, ConfigError } from '../config/config.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { openFileEngine } from '../storage/engine/file/engine.ts'
import { createMemoryEngine } from '../storage/engine/memory/engine.ts'
import type { Report } from '../storage/store/file/rows-file.ts'
import type { StoreOptions } from '../storage/store/low-store.ts'

/** Opens PostgreSQL with SANDBOX_DATABASE_URL, a file with SANDBOX_DB, or else memory. @throws UnusableFile, UnusableDatabase */
export async function openEngine(
  { databaseUrl, db, dbSync, auditEntries }: Config,
  log: Log,
  onError: OnError,
  fileParts: Pick<StoreOptions, 'ticks' | 'open'>,
): Promise<Engine> {
  if (databaseUrl !== null) {
    const { openPostgresEngine } = await import('../storage/engine/postgres/engine.ts')
    const report: Report = (level, message) => log[level]('database', { message })
    return openPostgresEngine({ url: databaseUrl, report, onError, auditEntries })
  }
  if (db === null) return createMemoryEngine({ onError, auditEntries })
  return openFileEngine({
    onError,
    auditEntries,
    path: db,
    sync: dbSync === 'on',
    report: (level, message) => log[level]('rows file', { message }),
    ...fileParts,
  })
}

/**
 * Migrates the database of SANDBOX_DATABASE_URL to this release.
 * @returns the names of the migrations that ran
 * @throws ConfigError without a database, UnusableDatabase if it cannot be reached
 */
export async function migrateDatabase({ databaseUrl }: Config): Promise<readonly string[]> {
  if (databaseUrl === null)
    throw new ConfigError('SANDBOX_DATABASE_URL is not set; set it to the database to migrate')
  const { migrateOnce } = await import('../storage/engine/postgres/migrations.ts')
  return migrateOnce(databaseUrl)
}
