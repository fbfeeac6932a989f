import { Command, Option } from 'commander'
import type { End } from './commands.ts'
import type { ExportOptions } from './export.ts'
import type { ImportOptions } from './import.ts'
import { jsonOption, userOption } from './options.ts'
import type { Process } from './process.ts'

const places =
  'postgres://… for a database, the path of a rows file, or the address of a running sandbox (default: what the same environment would start ' +
  'a sandbox with: SANDBOX_DATABASE_URL, SANDBOX_DB, or the sandbox at SANDBOX_HOST and SANDBOX_PORT)'
const secrets =
  'The file has secrets: hashes of passwords, the secrets that callbacks are signed with, addresses of inboxes. A password in an address is better ' +
  'kept in SANDBOX_DATABASE_URL, since every process of the machine can read a command line.'

export const exportCommand = (io: Process, end: End) =>
  new Command('export')
    .summary('print worlds, to keep them or to take them elsewhere')
    .description(
      `Print worlds, one after another, a line each: what GET /sandbox/export answers, with the world's name. Out of a database come its snapshots ` +
        `and the requests on record, too. ${secrets}`,
    )
    .argument('[worlds...]', 'their names, such as demo or demo+ci')
    .option('--all', 'all worlds there are')
    .addOption(new Option('--from <where>', places))
    .addOption(userOption())
    .option('--out <file>', 'write a file that there is not yet, which its owner alone may read')
    .addOption(jsonOption())
    .action(async (worlds: readonly string[], options: ExportOptions) => {
      const { exportWorlds } = await import('./export.ts')
      end(await exportWorlds(io, worlds, options))
    })

export const importCommand = (io: Process, end: End) =>
  new Command('import')
    .summary('put exported worlds into a database, a rows file or a running sandbox')
    .description(
      'Put the worlds of a file where they are to be. A database and a rows file take them as they were, with their keys; a running sandbox takes the ' +
        `rows, and its keys stay. A world that is there already is refused, and nothing written. ${secrets}`,
    )
    .argument(
      '<file>',
      'what payments-sandbox export or GET /sandbox/export gave; - for what comes through a pipe',
    )
    .addOption(new Option('--to <where>', places))
    .addOption(userOption())
    .option('--world <name>', 'what a world is called that has no name in the file')
    .option('--replace', 'put worlds in the place of those that are there')
    .addOption(jsonOption())
    .action(async (file: string, options: ImportOptions) => {
      const { importWorlds } = await import('./import.ts')
      end(await importWorlds(io, file, options))
    })
