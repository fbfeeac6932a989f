import { readConfig } from '../config.ts'
import { migrateDatabase } from '../sandbox/migrate.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { startFailure } from './start-failure.ts'

/** Makes or changes the tables of the database that SANDBOX_DATABASE_URL names. Returns the exit code. */
export async function migrate({ env, out, err }: Process): Promise<number> {
  try {
    const run = await migrateDatabase(readConfig(env))
    for (const name of run) out.write(`${name}\n`)
    if (run.length === 0) out.write('The database has the tables of this release.\n')
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    err.write(`${line}\n`)
    return code
  }
}
