import { readdir, readFile } from 'node:fs/promises'
import type { Client } from 'pg'
import { files, packageVersion } from '../../../lib/files.ts'
import { Database, type DatabaseOptions, UnusableDatabase } from './database.ts'

/** Two processes created the same table at once. */
const MADE_MEANWHILE = new Set(['23505', '42P07', '42710'])

interface Migration {
  readonly name: string
  /** The release that ran it. */
  readonly release: string
}

/** Runs the migrations that the database does not have, one process at a time. Returns their file names. */
export async function migrate(database: Database): Promise<readonly string[]> {
  const client = await database.session()
  try {
    await makeTables(client)
    await client.query('begin')
    await client.query('select one from migrating for update')
    const { rows } = await client.query<Migration>('select name, release from migrations order by name')
    const known = new Set(rows.map(({ name }) => name))
    const own = await migrationFiles()
    requireKnown(database, rows, own)
    const run = own.filter((name) => !known.has(name))
    for (const name of run) {
      await client.query(await readFile(new URL(name, files.migrations), 'utf8'))
      await client.query('insert into migrations(name, release) values ($1, $2)', [name, packageVersion()])
    }
    await client.query('commit')
    database.giveBack(client, true)
    return run
  } catch (error) {
    database.giveBack(client, false)
    throw error
  }
}

/** Opens a database only to migrate it. @throws {UnusableDatabase} If the database cannot be reached. */
export async function migrateOnce(options: DatabaseOptions): Promise<readonly string[]> {
  const database = await Database.open(options)
  try {
    return await migrate(database)
  } finally {
    await database.close()
  }
}

/** @throws {UnusableDatabase} If another release created the tables. */
function requireKnown({ setting }: Database, there: readonly Migration[], own: readonly string[]): void {
  const strange = there.filter(({ name }) => !own.includes(name))
  if (strange.length === 0) return
  const listed = strange.map(({ name, release }) => `${name} of ${release}`).join(', ')
  throw new UnusableDatabase(
    `The database of ${setting} has the tables of another release: ${listed}. This is release ${packageVersion()}, which has ${own.at(-1)}. ` +
      'Start that release, or move the worlds: export them with that release, and import them with this one into an empty database.',
  )
}

async function makeTables(client: Client): Promise<void> {
  for (let left = 3; left > 0; left -= 1) {
    try {
      await client.query(
        'create table if not exists migrations (name text primary key, release text, at timestamptz default now())',
      )
      await client.query('create table if not exists migrating (one boolean primary key)')
      await client.query('insert into migrating values (true) on conflict do nothing')
      return
    } catch (error) {
      if (!MADE_MEANWHILE.has((error as { code?: string }).code ?? '') || left === 1) throw error
    }
  }
}

const migrationFiles = async () =>
  (await readdir(files.migrations)).filter((name) => name.endsWith('.sql')).toSorted()
