import { type Config, ConfigError } from '../config/config.ts'
import { type OnError, surfaceError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import { pause } from '../lib/clock/clock.ts'
import { StoreUnavailable } from '../storage/store/change.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { openFileEngine } from '../storage/engine/file/engine.ts'
import { createMemoryEngine } from '../storage/engine/memory/engine.ts'
import type { Report } from '../storage/store/file/rows-file.ts'
import type { StoreOptions } from '../storage/store/low-store.ts'

/** Opens PostgreSQL with SANDBOX_DATABASE_URL or SANDBOX_DATABASE_URLS, a file with SANDBOX_DB, or else memory. @throws UnusableFile, UnusableDatabase */
export async function openEngine(
  { databaseUrl, databaseUrls, db, dbSync, auditEntries }: Config,
  log: Log,
  onError: OnError,
  fileParts: Pick<StoreOptions, 'ticks' | 'open'>,
): Promise<Engine> {
  const report: Report = (level, message) => log[level]('database', { message })
  if (databaseUrl !== null) {
    const { openPostgresEngine } = await import('../storage/engine/postgres/engine.ts')
    return openPostgresEngine({ url: databaseUrl, report, onError, auditEntries })
  }
  if (databaseUrls !== null) {
    const { openShardedEngine } = await import('../storage/engine/postgres/sharded-engine.ts')
    return openShardedEngine({ urls: databaseUrls, report, onError, auditEntries })
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

/** How often a move is tried while another process uses the world, and the pause between, milliseconds. */
const MOVES = 10
const MOVE_PAUSE = 500

/**
 * Moves a world to another of SANDBOX_DATABASE_URLS.
 * @returns false if there is no such world
 * @throws ConfigError without several databases, UnusableDatabase, StoreUnavailable
 */
export async function moveWorldTo(config: Config, log: Log, world: string, shard: number): Promise<boolean> {
  const engine = config.databaseUrls ? await openEngine(config, log, surfaceError, {}) : undefined
  try {
    if (!engine?.shards)
      throw new ConfigError(
        'SANDBOX_DATABASE_URLS does not name several databases; set it to their addresses',
      )
    for (let tries = 1; ; tries++)
      try {
        return await engine.shards.move(world, shard)
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || error.final || tries === MOVES) throw error
        await pause(MOVE_PAUSE)
      }
  } finally {
    await engine?.close()
  }
}

/**
 * Migrates the database of SANDBOX_DATABASE_URL, or all of SANDBOX_DATABASE_URLS, to this release.
 * @returns the names of the migrations that ran
 * @throws ConfigError without a database, UnusableDatabase if it cannot be reached
 */
export async function migrateDatabases({ databaseUrl, databaseUrls }: Config): Promise<readonly string[]> {
  const urls = databaseUrls ?? (databaseUrl === null ? [] : [databaseUrl])
  if (urls.length === 0)
    throw new ConfigError('SANDBOX_DATABASE_URL is not set; set it to the database to migrate')
  const { migrateOnce } = await import('../storage/engine/postgres/migrations.ts')
  const run: string[] = []
  for (const url of urls) run.push(...(await migrateOnce({ url })))
  return [...new Set(run)]
}
