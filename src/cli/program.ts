import { Command, CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config/config.ts'
import { files } from '../files.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { commandTable } from './command-table.ts'
import type { End } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { afterHelp } from './help.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'

/** Reads the command line and does what it says. Returns the exit code. */
export async function runCommand(args: readonly string[], io: Process): Promise<number> {
  let code: number = exitCodes.done
  const program = createProgram(io, (done) => (code = done))
  try {
    const [word, named] = args
    if (word === 'help' && named !== undefined && !program.commands.some((each) => each.name() === named))
      unknownCommand(program, named)
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof ConfigError)) throw error
    io.err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

function createProgram(io: Process, end: End): Command {
  const program = new Command('payments-sandbox')
    .description('A sandbox of the Unified Payments and Team Management Service, on your machine.')
    .version(version(), '-v, --version', 'print the version')
    .helpCommand('help [command]', 'show help of a command')
    .addHelpText('after', afterHelp)
  const unknown = (word: string) => unknownCommand(program, word)
  for (const declare of commandTable) {
    const command = declare(io, end, unknown)
    program.addCommand(command, { isDefault: command.name() === 'start' })
  }

  for (const command of withSubcommands(program)) {
    if (command !== program && command.commands.length > 0)
      command.on('command:*', ([word]: string[]) => unknownCommand(command, word!))
    command
      .helpOption('-h, --help', 'show help')
      .exitOverride()
      .configureOutput({
        writeOut: io.out.write,
        writeErr: io.err.write,
        getOutHasColors: () => io.out.colours,
      })
      .configureHelp({
        styleTitle: (title) => painter(io.out.colours)('bold', title),
        subcommandTerm: (each) => [each.name(), ...each.aliases()].join('|'),
      })
  }
  return program
}

const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** Names the nearest command that deletes nothing. */
function unknownCommand(group: Command, word: string): never {
  const harmless = group.commands.filter(({ options }) => !options.some(({ long }) => long === '--yes'))
  const names = harmless.flatMap((command) => [command.name(), ...command.aliases()])
  return group.error(
    `error: there is no command '${word}'${didYouMean(word, names)}. See ${pathOf(group)} --help.`,
  )
}

const version = () => (JSON.parse(readFileSync(files.packageJson, 'utf8')) as { version: string }).version
