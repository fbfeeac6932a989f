import { readConfig } from '../config/config.ts'
import { migrateDatabase } from '../sandbox/migrate.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { startFailure } from './start-failure.ts'
import { tellerTo } from './teller.ts'

/** Makes or changes the tables of the database that SANDBOX_DATABASE_URL names. Returns the exit code. */
export async function migrate({ env, ...io }: Process, json = false): Promise<number> {
  const out = tellerTo(io.out, json)
  try {
    const run = await migrateDatabase(readConfig(env))
    for (const name of run) out.say(name, { kind: 'migration', name })
    if (run.length === 0) out.say('The database has the tables of this release.')
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    io.err.write(`${line}\n`)
    return code
  }
}
