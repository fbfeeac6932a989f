import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { readConfig } from '../config/config.ts'
import { createLog } from '../lib/log/log.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { migrateDatabases, moveWorldTo } from '../sandbox/engine.ts'
import { type End, plainCommand } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import { unlessStartFails } from './start.ts'

export const migrateCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('migrate').description(
      'Create or update the tables of SANDBOX_DATABASE_URL or SANDBOX_DATABASE_URLS, and print the migrations. start does the same.',
    ),
    ({ out }) =>
      unlessStartFails(io, async () => {
        const run = await migrateDatabases(readConfig(io.env))
        for (const name of run) out.say(name, { kind: 'migration', name })
        if (run.length === 0) out.say('The database is up to date.')
      }),
  )

export const moveCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('move')
      .description('Move a world to another database of SANDBOX_DATABASE_URLS.')
      .argument('<world>', 'its id, such as demo+w-3f9c2a7b10de')
      .requiredOption('--to <shard>', 'the number of the database, as in /readyz', readNumber),
    ({ out }, world, { to: shard }) =>
      unlessStartFails(io, async () => {
        const { err } = io
        const log = createLog({ level: 'warn', write: err.write, terminal: err.terminal, now: systemWall })
        if (!(await moveWorldTo(readConfig(io.env), log, world, shard))) {
          err.write(`There is no world ${world}.\n`)
          return exitCodes.no
        }
        out.say(`${world} is in shard ${shard}.`, { kind: 'moved', world, shard })
      }),
  )

function readNumber(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted: a number such as 2.')
}
