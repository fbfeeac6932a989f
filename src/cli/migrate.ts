import { Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config/config.ts'
import { createLog } from '../lib/log/log.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { migrateDatabases, moveWorldTo } from '../sandbox/engine.ts'
import { type End, jsonOption } from './options.ts'
import { exitCodes, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { startFailure } from './start.ts'

export const migrateCommand = (io: Process, end: End) =>
  new Command('migrate')
    .description(
      'Create or update the tables of SANDBOX_DATABASE_URL or SANDBOX_DATABASE_URLS, and print the migrations. start does the same.',
    )
    .addOption(jsonOption())
    .action(async ({ json = false }: { json?: boolean }) => end(await migrate(io, json)))

export const moveCommand = (io: Process, end: End) =>
  new Command('move')
    .description('Move a world to another database of SANDBOX_DATABASE_URLS.')
    .argument('<world>', 'its id, such as demo+w-3f9c2a7b10de')
    .requiredOption('--to <shard>', 'the number of the database, as in /readyz', readNumber)
    .addOption(jsonOption())
    .action(async (world: string, { to, json = false }: { to: number; json?: boolean }) =>
      end(await move(io, world, to, json)),
    )

async function move({ env, ...io }: Process, world: string, shard: number, json: boolean): Promise<number> {
  const log = createLog({ level: 'warn', write: io.err.write, terminal: io.err.terminal, now: systemWall })
  try {
    if (!(await moveWorldTo(readConfig(env), log, world, shard))) {
      io.err.write(`There is no world ${world}.\n`)
      return exitCodes.no
    }
    outputTo(io.out, json).say(`${world} is in shard ${shard}.`, { kind: 'moved', world, shard })
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    io.err.write(`${line}\n`)
    return code
  }
}

function readNumber(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted: a number such as 2.')
}

async function migrate({ env, ...io }: Process, json: boolean): Promise<number> {
  const out = outputTo(io.out, json)
  try {
    const run = await migrateDatabases(readConfig(env))
    for (const name of run) out.say(name, { kind: 'migration', name })
    if (run.length === 0) out.say('The database is up to date.')
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    io.err.write(`${line}\n`)
    return code
  }
}
