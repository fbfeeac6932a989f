import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type End, unknownCommand } from './options.ts'
import type { Process } from './process.ts'
import type { Setting } from '../config/setting.ts'
import { settings } from '../config/settings.ts'

/** Declares `start` with its flags. A start without flags does not load this file. */
export function startCommand(io: Process, end: End) {
  const command = new Command('start')
    .description(
      'Run a sandbox until Ctrl-C. Every flag is also an environment variable; flags take precedence. --help --all shows all flags.',
    )
    .argument('[command]', undefined)
    .usage('[options]')
    .option('--open', 'open the dashboard in a browser')
    .option('--detach', 'return as soon as the sandbox is ready; it runs in the background')
    .addOption(new Option('--all', 'with --help: show all settings'))
    .option('--json', 'log JSON lines at a terminal, too')
    .action(async (word, options) => {
      if (word !== undefined) unknownCommand(command.parent!, word)
      const { detach, start } = await import('./start.ts')
      const process = { ...io, env: withFlags(io.env, { ...options }) }
      end(await (options.detach ? detach(process) : start(process, options)))
    })
  for (const flag of settingFlags()) command.addOption(common.includes(flag.name()) ? flag : flag.hideHelp())
  return command
}

/** The settings in the help without `--all`. */
const common = ['port', 'host', 'db', 'scenarios', 'settle-after', 'seed-file', 'signatures', 'log-level']

/** Returns a flag for every setting but passwords and tokens, since every process can read a command line. */
function settingFlags(): readonly Option[] {
  return Object.values<Setting>(settings)
    .filter(({ secret }) => !secret)
    .map((setting) => {
      const { variable, about, reads, fallback, hosted } = setting
      const start = fallback === undefined ? '' : `, default ${fallback}${hosted ? `, hosted ${hosted}` : ''}`
      const option = new Option(
        `--${flagName(variable)} <value>`,
        `${about.replaceAll('`', '')} (${variable}${start})`,
      )
      return option.argParser((text: string) => {
        if (reads.read(text) === undefined) throw new InvalidArgumentError(`Accepted: ${reads.accepts}.`)
        return text
      })
    })
}

/** Returns the environment with the values of flags in it. `options` are commander's. */
function withFlags(env: Process['env'], options: Readonly<Record<string, unknown>>): Process['env'] {
  const changed: Record<string, string | undefined> = { ...env }
  for (const { variable } of Object.values<Setting>(settings)) {
    const value = options[optionName(flagName(variable))]
    if (typeof value === 'string') changed[variable] = value
  }
  return changed
}

/** `SANDBOX_SETTLE_AFTER` is `--settle-after`. */
const flagName = (variable: string) =>
  variable
    .replace(/^SANDBOX_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

const optionName = (flag: string) => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
