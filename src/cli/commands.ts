import { Command, Option } from 'commander'
import { durationForms } from '../duration.ts'
import { defaultAddress } from './address.ts'
import { settingFlags, withFlags } from './flags.ts'
import {
  durationOption,
  readAddress,
  targetOf,
  urlOption,
  userOption,
  type TargetOptions,
} from './options.ts'
import type { Process } from './process.ts'

/** Takes the exit code of a command that has ended. */
export type End = (code: number) => void

/** Each command's code is loaded when it is asked for. */
export function startCommand(io: Process, end: End, unknown: (word: string) => never): Command {
  const start = new Command('start')
    .summary('run a sandbox (also without a command)')
    .description('Run a sandbox until Ctrl-C. Every flag is also an environment variable; the flag wins.')
    .argument('[command]', undefined)
    .usage('[options]')
    .option('--open', 'show the dashboard in the browser once it listens')
    .action(async (word: string | undefined, options: { open?: boolean }) => {
      if (word !== undefined) unknown(word)
      const { start } = await import('./start.ts')
      end(await start({ ...io, env: withFlags(io.env, { ...options }) }, options))
    })
  for (const flag of settingFlags()) start.addOption(flag)
  return start
}

export const healthcheckCommand = (io: Process, end: End) =>
  new Command('healthcheck')
    .summary('ask whether a running sandbox is ready')
    .description('Ask whether a running sandbox is ready: exit code 0 when it is, 1 when not.')
    .addOption(urlOption())
    .addOption(durationOption('--timeout', `how long to wait: ${durationForms}`, '2s'))
    .action(async ({ url, timeout }: { url?: string; timeout: number }) => {
      const { healthcheck } = await import('./healthcheck.ts')
      end(await healthcheck(io, url ?? defaultAddress(io.env), timeout))
    })

export const migrateCommand = (io: Process, end: End) =>
  new Command('migrate')
    .summary('prepare the database that several processes share')
    .description(
      'Make or change the tables of the database that SANDBOX_DATABASE_URL names, and print what was done. A start does the same.',
    )
    .action(async () => {
      const { migrate } = await import('./migrate.ts')
      end(await migrate(io))
    })

export const openapiCommand = (io: Process, end: End) =>
  new Command('openapi')
    .summary('print the OpenAPI description')
    .description('Print the OpenAPI description, byte for byte as a running sandbox serves it.')
    .addOption(new Option('--yaml', 'as YAML (the default)').conflicts('json'))
    .option('--json', 'as JSON')
    .option('--control', "the sandbox's own API (/sandbox) instead of the service's")
    .action(async (options: { json?: boolean; control?: boolean }) => {
      const { openapi } = await import('./openapi.ts')
      end(await openapi(io, options))
    })

export const listenCommand = (io: Process, end: End) =>
  new Command('listen')
    .summary("send a sandbox's callbacks on to a server on this machine")
    .description(
      "Send every callback of the user's world on to a server on this machine, headers and bytes unchanged, so that " +
        'signatures hold. The callback_url of the payments can be any; one that the sandbox reaches is not retried in ' +
        'vain, such as the address that GET /sandbox/inbox/dev tells.',
    )
    .addOption(
      new Option(
        '--forward-to <address>',
        'the local server; with a path all callbacks go there, else each to its own path',
      )
        .argParser(readAddress)
        .makeOptionMandatory(),
    )
    .addOption(urlOption())
    .addOption(userOption())
    .action(async ({ forwardTo, ...options }: TargetOptions & { forwardTo: string }) => {
      const { listen } = await import('./listen.ts')
      end(await listen(io, targetOf(io, options), forwardTo))
    })

export const mcpCommand = (io: Process, end: End) =>
  new Command('mcp')
    .summary('serve tools for agents over standard input and output')
    .description(
      'Serve tools for agents (Model Context Protocol) over standard input and output: for the sandbox at --url, or, without it, ' +
        'for one of its own, which takes the settings of start from the environment and listens at any free port unless PORT says which.',
    )
    .addOption(
      new Option('--url <address>', 'the sandbox to work in (default: one of its own)').argParser(
        readAddress,
      ),
    )
    .addOption(userOption())
    .action(async (options: TargetOptions) => {
      const { mcp } = await import('./mcp.ts')
      end(await mcp(io, options))
    })

/** What `seed` can be told, and in what words. */
const amounts = [
  ['teams', 'how many Teams are made'],
  ['members', 'how many members they have together'],
  ['transactions', 'how many payments the history has'],
  ['days', 'over how many days'],
  ['seed', 'the number that all of it is drawn from'],
] as const

export function seedCommand(io: Process, end: End): Command {
  const seed = new Command('seed')
    .summary('print a seed file of a world with people, businesses and a history')
    .description(
      'Print a seed file for SANDBOX_SEED_FILE: the default world, and beside it as many Teams, members and payments as are asked ' +
        'for, made up by the rules when the sandbox starts, the same each time.',
    )
    .action(async (options: { readonly [name: string]: string }) => {
      const { seed } = await import('./seed.ts')
      end(seed(io, options))
    })
  for (const [name, about] of amounts) seed.option(`--${name} <number>`, about)
  return seed
}
