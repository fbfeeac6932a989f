import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { ConfigError } from '../config/config.ts'
import { packageVersion } from '../lib/files.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { failed, Refusal } from './failures.ts'
import { type Declare, type End, pathOf, unknownCommand } from './options.ts'
import { exitCodes, painter } from './output.ts'
import { programIn, type Process, type Writer } from './process.ts'

/** Returns the table of commands, in which the module of `pay` exports `payCommand`. */
const tableOf = <Names extends string>(table: {
  readonly [Name in Names]: readonly [
    summary: string,
    load: () => Promise<{ readonly [_ in `${Name}Command`]: Declare }>,
  ]
}) => table

/**
 * Every command with its summary, in the order of the help. Its module is loaded if the command line names it. Each supports
 * `--json` and has a row in docs/command-line.md and a test.
 */
export const commandTable = tableOf({
  start: ['run a sandbox (also without a command)', () => import('./start-command.ts')],
  dev: ['run a sandbox next to your shop, with keys for payments and outcomes', () => import('./dev.ts')],
  init: [
    'write tests, a receiver, a CI workflow and a Compose service for a project',
    () => import('./init.ts'),
  ],
  doctor: ['check a sandbox, its clock, its callbacks and your receiver', () => import('./doctor.ts')],
  healthcheck: ['check that a running sandbox is healthy', () => import('./healthcheck.ts')],
  openapi: ['print the OpenAPI description', () => import('./openapi.ts')],
  scenarios: ['check, test or list scenario files', () => import('./scenarios.ts')],
  incidents: [
    'list, start and stop incidents, such as an operator that stalls',
    () => import('./incidents.ts'),
  ],
  trigger: ['play an outcome in a running sandbox and show what happens', () => import('./trigger.ts')],
  pay: ['make a payment and show what happens to it', () => import('./pay.ts')],
  settle: ['run all pending work now: payments end, callbacks are sent', () => import('./clock.ts')],
  resend: ['resend callbacks', () => import('./resend.ts')],
  explain: ['explain the response to a request, or the result of a payment', () => import('./explain.ts')],
  logs: ['show requests and callbacks as they happen', () => import('./logs.ts')],
  phone: ['act as the payer: list payment prompts and approve or decline them', () => import('./phone.ts')],
  clock: ["show, freeze and advance a world's clock", () => import('./clock.ts')],
  worlds: ['list, create, reset and delete worlds and their keys', () => import('./worlds.ts')],
  snapshots: ['save the state of a world, and return to it', () => import('./snapshots.ts')],
  listen: ["forward a sandbox's callbacks to servers on this machine", () => import('./listen.ts')],
  mcp: ['serve tools for agents over standard input and output', () => import('./mcp.ts')],
  seed: ['print a seed file of a world with people, businesses and a history', () => import('./seed.ts')],
  migrate: ['create or update the tables of the shared database', () => import('./migrate.ts')],
  move: ['move a world to another shard', () => import('./migrate.ts')],
  export: ['export worlds as a backup or to move them', () => import('./export.ts')],
  import: ['import worlds into a database, a rows file or a running sandbox', () => import('./import.ts')],
  certify: ['certify the integration of a shop', () => import('./certify.ts')],
  traffic: [
    "play a shop's customers and incidents, and compare its books with the ledger",
    () => import('./traffic.ts'),
  ],
  record: [
    'record the traffic with the real service, without credentials and personal data',
    () => import('./record.ts'),
  ],
  probe: [
    'ask the real service only what is free and safe, and record its responses',
    () => import('./record.ts'),
  ],
  compare: ['compare a recording of the service with the sandbox', () => import('./compare.ts')],
  learn: ['write the differences of a recording as an overlay for the sandbox', () => import('./compare.ts')],
  completion: ['print a shell completion script', () => import('./completion.ts')],
})

export const loadCommand = async (name: string): Promise<Declare> =>
  ((await commandTable[name as keyof typeof commandTable][1]()) as Record<string, Declare>)[`${name}Command`]!

/** Other words for commands. */
const otherWords: Readonly<Record<string, string>> = { version: '--version', status: 'doctor' }

/** Returns the process with a terminal that shows commands as `npm start` runs them in a checkout. */
function asTyped(io: Process): Process {
  const program = programIn(io.env)
  const names = Object.keys(commandTable).join('|')
  const typed = new RegExp(`\\bpayments-sandbox (?=(?:${names}|--\\w+)\\b)`, 'g')
  const writer = (to: Writer): Writer =>
    to.terminal ? { ...to, write: (text) => to.write(text.replace(typed, `${program} `)) } : to
  return { ...io, out: writer(io.out), err: writer(io.err) }
}

/** Runs the command that the command line names. @returns the exit code */
export async function runCommand(given: readonly string[], caller: Process): Promise<number> {
  const io = programIn(caller.env) === 'payments-sandbox' ? caller : asTyped(caller)
  const [first = '', ...others] = given
  const args = first in otherWords ? [otherWords[first]!, ...others] : given
  let code: number = exitCodes.done
  try {
    const program = await createProgram(args, io, (done) => (code = done))
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof ConfigError)) throw error
    return failed(io, error, args.includes('--json'))
  }
}

/** Returns the program with the command that the arguments name, and only names and summaries of the others; completion needs all. */
async function createProgram(args: readonly string[], io: Process, end: End): Promise<Command> {
  const program = new Command('payments-sandbox')
    .description('A sandbox of the Unified Payments and Team Management Service, on your machine.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpCommand('help [command]', 'show help of a command')
    .addHelpText('after', afterHelp)
    .exitOverride()
  const word = (args[0] === 'help' ? args[1] : args[0]) ?? 'start'
  const named = word.startsWith('-') ? 'start' : word
  const isCompletion = named === 'completion'
  for (const [name, [summary]] of Object.entries(commandTable)) {
    const declare = name === named || isCompletion ? await loadCommand(name) : () => new Command(name)
    program.addCommand(declare(io, end).summary(summary), { isDefault: name === 'start' })
  }
  if (args.includes('--all'))
    for (const { options } of program.commands) for (const each of options) each.hidden = false
  for (const command of withSubcommands(program)) {
    if (command !== program && command.commands.length > 0)
      command
        .on('command:*', ([unknown]: string[]) => unknownCommand(command, unknown!))
        // A group with a default passes a misspelt command on as the argument of its default.
        .hook('preSubcommand', ({ args: [word = '-'] }, { parent }) => {
          const isKnown = parent!.commands.some((each) => [each.name(), ...each.aliases()].includes(word))
          if (!word.startsWith('-') && !isKnown) unknownCommand(command, word)
        })
    command
      .helpOption('-h, --help', 'show help')
      .exitOverride()
      .configureOutput({
        writeOut: io.out.write,
        writeErr: io.err.write,
        outputError: (text) => failed(io, usageError(command, text), args.includes('--json')),
        getOutHasColors: () => io.out.colours,
      })
      .configureHelp({
        styleTitle: (title) => painter(io.out.colours)('bold', title),
        subcommandTerm: (each) => [each.name(), ...each.aliases()].join('|'),
      })
  }
  if (named !== 'help' && !(named in commandTable)) unknownCommand(program, named)
  return program
}

type Sentence = (command: CommandUnknownOpts, ...parts: string[]) => string

const mustBe = (name: string, value: string, accepted: string) =>
  /^(?:Accepted:|It is|Allowed choices are)/.test(accepted)
    ? `${name} must be ${accepted
        .replace(/^(?:Accepted:|It is) /, '')
        .replace(/^Allowed choices are /, 'one of ')
        .replace(/\.$/, '')}, got "${value}"`
    : accepted

const nameOf = (command: CommandUnknownOpts) => pathOf(command).replace(/^\S+ /, '')

const see = (command: CommandUnknownOpts) => `. See ${pathOf(command)} --help.`

/** The messages of commander, with a stable code and a message in the voice of the other errors. */
const usageErrors: readonly (readonly [pattern: RegExp, code: string, sentence: Sentence])[] = [
  [
    /^error: unknown option '(--?[\w-]+)/,
    'unknown_option',
    (command, flag) =>
      `there is no option ${flag}${didYouMean(
        flag,
        command.options.flatMap(({ long }) => long ?? []),
      )}${see(command)}`,
  ],
  [
    /^error: option '[^']*(--[\w-]+)[^']*' argument '([^]*)' is invalid\. ([^]*)$/,
    'invalid_argument',
    (_, ...parts) => mustBe(...(parts as [string, string, string])),
  ],
  [
    /^error: command-argument value '([^]*)' is invalid for argument '(.+?)'\. ([^]*)$/,
    'invalid_argument',
    (_, value, name, accepted) => mustBe(`<${name}>`, value!, accepted!),
  ],
  [
    /^error: missing required argument '(.+)'/,
    'missing_argument',
    (command, name) => {
      const about = command.registeredArguments.find((each) => each.name() === name)?.description
      return `${nameOf(command)} needs <${name}>${about ? `: ${about}` : ''}${see(command)}`
    },
  ],
  [
    /^error: option '.*?(--[\w-]+).*?(<.+>)' argument missing/,
    'missing_value',
    (_, flag, value) => `${flag} needs a value: ${flag} ${value}`,
  ],
  [
    /^error: required option '.*?(--[\w-]+.*)' not specified/,
    'missing_option',
    (command, flag) => `${nameOf(command)} needs ${flag}${see(command)}`,
  ],
  [
    /^error: option '.*?(--[\w-]+).*' cannot be used with option '.*?(--[\w-]+).*'/,
    'conflicting_options',
    (_, one, other) => `${one} and ${other} cannot be used together`,
  ],
  [
    /^error: too many arguments.* Expected (\d+)/,
    'unexpected_argument',
    (command, count) =>
      `${nameOf(command)} does not take the argument "${command.args[Number(count)]}"${see(command)}`,
  ],
]

function usageError(command: CommandUnknownOpts, text: string): Refusal {
  const plain = text.trim()
  for (const [pattern, code, sentence] of usageErrors) {
    const found = pattern.exec(plain)
    if (found) return new Refusal(sentence(command, ...found.slice(1)), exitCodes.usage, code)
  }
  return new Refusal(plain.replace(/^error: /, ''), exitCodes.usage, 'unknown_command')
}

const withSubcommands = (command: CommandUnknownOpts): CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

/** The help below the list of commands. */
const afterHelp = `
Examples:
  payments-sandbox                             run a sandbox at http://127.0.0.1:8080
  payments-sandbox --port 0 --settle-after 0   on any free port; payments settle immediately
  payments-sandbox start --help                every setting, as a flag and as an environment variable
  payments-sandbox dev --forward-to 3000       run a sandbox next to your shop
  payments-sandbox init                        write tests and a receiver for this project
  payments-sandbox pay --outcome payer-cancels show a cancelled payment
  payments-sandbox doctor                      find out why callbacks do not arrive
  payments-sandbox logs tail                   show requests and callbacks as they happen
  payments-sandbox settle                      end pending payments now
  payments-sandbox clock advance 72h           advance the clock by three days
  payments-sandbox scenarios test ./scenarios  test your scenario files
  payments-sandbox listen --url https://sandbox.example --forward-to http://localhost:3000
                                               forward a remote sandbox's callbacks to this machine
  payments-sandbox openapi --json > api.json   save the description for a code generator

A running sandbox serves guides at /docs/guides, and the API reference at /docs.

Exit codes:
  0  done
  1  failed: an unhealthy sandbox, a rejected request, a failed check or receiver
  2  invalid arguments or configuration
  3  could not start: a port in use, a missing or broken file
  4  no sandbox answers at the address
`
