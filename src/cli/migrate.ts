import { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { migrateDatabase } from '../sandbox/engine.ts'
import { type End, jsonOption } from './options.ts'
import { exitCodes, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { startFailure } from './start.ts'

export const migrateCommand = (io: Process, end: End) =>
  new Command('migrate')
    .description(
      'Create or update the tables of the database at SANDBOX_DATABASE_URL, and print the migrations. start does the same.',
    )
    .addOption(jsonOption())
    .action(async ({ json = false }: { json?: boolean }) => end(await migrate(io, json)))

async function migrate({ env, ...io }: Process, json: boolean): Promise<number> {
  const out = outputTo(io.out, json)
  try {
    const run = await migrateDatabase(readConfig(env))
    for (const name of run) out.say(name, { kind: 'migration', name })
    if (run.length === 0) out.say('The database is up to date.')
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    io.err.write(`${line}\n`)
    return code
  }
}
