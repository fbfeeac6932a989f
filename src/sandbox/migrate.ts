import { type Config, ConfigError } from '../config/config.ts'

/**
 * Brings the database of SANDBOX_DATABASE_URL to the tables of this release. Returns the names of the files that were run.
 * @throws ConfigError without a database, UnusableDatabase when it cannot be reached
 */
export async function migrateDatabase({ databaseUrl }: Config): Promise<readonly string[]> {
  if (databaseUrl === null)
    throw new ConfigError('SANDBOX_DATABASE_URL is not set; name the database that is to be migrated')
  const { migrateOnce } = await import('../storage/engine/postgres/migrations.ts')
  return migrateOnce(databaseUrl)
}
