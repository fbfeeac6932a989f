import { Command, Option } from 'commander'
import { durationForms } from '../lib/text/duration.ts'
import { defaultAddress } from './address.ts'
import { settingFlags, withFlags } from './flags.ts'
import { durationOption, jsonOption, urlOption } from './options.ts'
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
    .option('--json', 'log a JSON object a line at a terminal, too')
    .action(async (word: string | undefined, options: { open?: boolean; json?: boolean }) => {
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
    .addOption(jsonOption())
    .action(async ({ url, timeout, json }: { url?: string; timeout: number; json?: boolean }) => {
      const { healthcheck } = await import('./healthcheck.ts')
      end(await healthcheck(io, url ?? defaultAddress(io.env), timeout, json))
    })

export const migrateCommand = (io: Process, end: End) =>
  new Command('migrate')
    .summary('prepare the database that several processes share')
    .description(
      'Make or change the tables of the database that SANDBOX_DATABASE_URL names, and print what was done. A start does the same.',
    )
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const { migrate } = await import('./migrate.ts')
      end(await migrate(io, json))
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
    .option('--json', 'as JSON instead of YAML')
    .action(async ({ json, ...options }: { readonly [name: string]: string } & { json?: boolean }) => {
      const { seed } = await import('./seed.ts')
      end(await seed(io, options, json))
    })
  for (const [name, about] of amounts) seed.option(`--${name} <number>`, about)
  return seed
}
