import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { durationForms, parseDuration } from '../duration.ts'
import { files } from '../files.ts'
import { nearest } from '../nearest.ts'
import { defaultAddress } from './address.ts'
import { exitCodes } from './exit-codes.ts'
import { settingFlags, withFlags } from './flags.ts'
import { afterHelp } from './help.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'

/** Reads the command line and does what it says; each command's code is loaded when it is asked for. */
export async function run(args: readonly string[], io: Process): Promise<number> {
  let code: number = exitCodes.done
  const program = createProgram(io, (done) => (code = done))
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof ConfigError)) throw error
    io.err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

function createProgram(io: Process, end: (code: number) => void): Command {
  const program = new Command('payments-sandbox')
    .description('A sandbox of the Unified Payments and Team Management Service, on your machine.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: io.out.write,
      writeErr: io.err.write,
      getOutHasColors: () => io.out.colours,
    })
    .configureHelp({ styleTitle: (title) => painter(io.out.colours)('bold', title) })
    .addHelpText('after', afterHelp)

  const start = program
    .command('start', { isDefault: true })
    .summary('run a sandbox (also without a command)')
    .description('Run a sandbox until Ctrl-C. Every flag is also an environment variable; the flag wins.')
    .argument('[command]', undefined)
    .usage('[options]')
    .option('--open', 'show it in the browser once it listens')
    .action(async (word: string | undefined, options: { open?: boolean }) => {
      if (word !== undefined) unknownCommand(program, word)
      const { start } = await import('./start.ts')
      end(await start({ ...io, env: withFlags(io.env, { ...options }) }, options))
    })
  for (const flag of settingFlags()) start.addOption(flag)

  program
    .command('healthcheck')
    .summary('ask whether a running sandbox is ready')
    .description('Ask whether a running sandbox is ready: exit code 0 when it is, 1 when not.')
    .addOption(urlOption())
    .option('--timeout <duration>', `how long to wait: ${durationForms}`, milliseconds, 2000)
    .action(async ({ url, timeout }: { url?: string; timeout: number }) => {
      const { healthcheck } = await import('./healthcheck.ts')
      end(await healthcheck(io, url ?? defaultAddress(io.env), timeout))
    })

  program
    .command('openapi')
    .summary('print the OpenAPI description')
    .description('Print the OpenAPI description, byte for byte as a running sandbox serves it.')
    .addOption(new Option('--yaml', 'as YAML (the default)').conflicts('json'))
    .option('--json', 'as JSON')
    .option('--control', "the sandbox's own API (/sandbox) instead of the service's")
    .action(async (options: { json?: boolean; control?: boolean }) => {
      const { openapi } = await import('./openapi.ts')
      end(await openapi(io, options))
    })
  return program
}

const urlOption = () =>
  new Option(
    '--url <address>',
    'the sandbox to ask (default: the one that HOST and PORT would start)',
  ).argParser((text) => {
    if (/^https?:\/\/[^/]/.test(text) && URL.canParse(text)) return text.replace(/\/$/, '')
    throw new InvalidArgumentError('Accepted: an address such as http://127.0.0.1:8080.')
  })

function milliseconds(text: string): number {
  try {
    return parseDuration(text)
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationForms}.`)
  }
}

function unknownCommand(program: Command, word: string): never {
  const meant = nearest(
    word,
    program.commands.map((command) => command.name()),
  )
  return program.error(
    `error: there is no command '${word}'${meant ? `; did you mean '${meant}'?` : ''} See payments-sandbox --help.`,
  )
}

const version = () => (JSON.parse(readFileSync(files.packageJson, 'utf8')) as { version: string }).version
