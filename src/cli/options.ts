import {
  type Command,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings'
import type { Credentials } from '../client/transport.ts'
import { defaultAddress } from './address.ts'
import { failed } from './failures.ts'
import { exitCodes, type Output, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { readConfig } from '../config/config.ts'
import { mergeDeep } from '../lib/objects.ts'
import { durationsWithin, parseDuration } from '../lib/text/duration.ts'
import { isAddress } from '../lib/text/is-url.ts'
import { didYouMean } from '../lib/text/suggest.ts'

/** Receives the exit code of a command. */
export type End = (code: number) => void

/** Declares a command with its flags and action. */
export type Declare = (io: Process, end: End) => CommandUnknownOpts

/** The process and the output of a command. */
export interface Task {
  readonly io: Process
  readonly out: Output
  readonly json: boolean
}

/**
 * Adds the action of a command, and `--json` unless it has its own. `work` receives the command's arguments and options, and may
 * return an exit code.
 */
export const plainCommand =
  (io: Process, end: End) =>
  <Given extends unknown[], Options extends OptionValues, Outer extends OptionValues>(
    command: Command<Given, Options, Outer>,
    work: (task: Task, ...given: [...Given, Options & Outer]) => Promise<number | void>,
  ): CommandUnknownOpts => {
    if (!command.options.some(({ long }) => long === '--json')) command.addOption(jsonOption())
    return command.action(async () => {
      const options = command.optsWithGlobals()
      const { json = false } = options as { readonly json?: boolean }
      const given = [...command.processedArgs, options] as never as [...Given, Options & Outer]
      try {
        end((await work({ io, json, out: outputTo(io.out, json) }, ...given)) ?? exitCodes.done)
      } catch (error) {
        end(failed(io, error, json))
      }
    })
  }

/** A running sandbox, and the credentials of a world in it. */
export interface Target extends Credentials {
  /** Without a trailing slash. */
  readonly url: string
}

/** Flags for the sandbox and the credentials, which default to the environment. */
export interface TargetOptions {
  readonly url?: string | undefined
  readonly user?: Credentials | undefined
}

export const urlOption = () =>
  new Option(
    '--url <address>',
    'the address of the sandbox (default: PAYMENTS_SANDBOX_URL, or from SANDBOX_HOST and SANDBOX_PORT)',
  ).argParser(readAddress)

export const userOption = () =>
  new Option(
    '--key, --user <name:password>',
    'the API key (default: from PAYMENTS_SANDBOX_USERNAME and _PASSWORD, or SANDBOX_API_USERNAME and _PASSWORD, or demo:demo)',
  ).argParser(readUser)

/** The flag for output that programs read: JSON objects, one per line, with a `kind`. */
export const jsonOption = () => new Option('--json', 'print one JSON object per line')

/** The flag of every command that deletes something; such a command is never suggested for a misspelt one. */
export const yesOption = () => new Option('--yes', 'do not ask for confirmation')

export function targetOf({ env }: Process, { url, user }: TargetOptions): Target {
  const { SANDBOX_API_USERNAME, SANDBOX_API_PASSWORD, PAYMENTS_SANDBOX_USERNAME, PAYMENTS_SANDBOX_PASSWORD } =
    env
  const config = readConfig({ SANDBOX_API_USERNAME, SANDBOX_API_PASSWORD })
  return {
    url: url ?? defaultAddress(env),
    ...(user ?? {
      username: PAYMENTS_SANDBOX_USERNAME || config.apiUsername,
      password: PAYMENTS_SANDBOX_PASSWORD || config.apiPassword,
    }),
  }
}

/** Returns an address without a trailing slash. */
export function readAddress(text: string): string {
  if (isAddress(text)) return text.replace(/\/$/, '')
  throw new InvalidArgumentError('Accepted: an address such as http://127.0.0.1:8080.')
}

/** Completes the address of a receiver, such as `localhost:3000/callback` or `3000`. */
export function readReceiver(text: string): string {
  const url = /^\d{1,5}(\/|$)/.test(text) ? `localhost:${text}` : text
  return readAddress(/^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `http://${url}`)
}

/** A flag with a fixed set of values, which suggests the closest for another. */
export const oneOf = <Flag extends string, const Word extends string>(
  flag: Flag,
  about: string,
  words: readonly Word[],
) =>
  new Option(flag, about).choices(words).argParser((text: string) => {
    const word = words.find((each) => each === text)
    if (word !== undefined) return word
    throw new InvalidArgumentError(`Accepted: one of ${words.join(', ')}${didYouMean(text, words)}.`)
  })

/** Statuses such as 201, 4xx, or none. */
export function readStatuses(text: string): RegExp {
  if (/^([1-5]\d\d|[1-5]xx|none)$/i.test(text)) return new RegExp(`^${text.replaceAll(/x/gi, '.')}$`, 'i')
  throw new InvalidArgumentError('Accepted: a status such as 201, 4xx for all of them, or none.')
}

export function readAmount(text: string): number {
  if (/^\d{1,15}(\.\d{1,4})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted: a number such as 100 or 99.50.')
}

export function readFactor(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted: a number such as 60, or 0.5.')
}

/** Parses a time, or a day, which starts at midnight UTC. */
export function readTime(text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('Accepted: a day or a time such as 2026-07-01 or 2026-07-01T08:00:00Z.')
}

/** Timers are limited to 24 days. */
const WAITS = { most: 24 * 86_400_000 }

/** Validates a duration and returns its text. */
export function readDuration(text: string): string {
  try {
    parseDuration(text)
    return text
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationsWithin()}.`)
  }
}

/** Validates a duration with a unit: a number alone would be milliseconds, which nobody means at a terminal. */
export function readStep(text: string): string {
  if (/^\d+$/.test(text) && text !== '0')
    throw new InvalidArgumentError(
      `Accepted: a duration with a unit, such as ${text}s, ${text}m or ${text}ms.`,
    )
  return readDuration(text)
}

/** Returns a duration in milliseconds. */
function readWait(text: string): number {
  try {
    return parseDuration(text, WAITS)
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationsWithin(WAITS)}.`)
  }
}

export const durationOption = <Flag extends string>(flag: Flag, about: string) =>
  new Option(`${flag} <duration>`, about).argParser(readWait)

/** @param fallback - The default, as the help shows it. */
export const durationOr = <Flag extends string>(flag: Flag, about: string, fallback: string) =>
  durationOption(flag, about).default(readWait(fallback), fallback)

function readUser(text: string) {
  const [, username, password] = /^([^:]+):(.*)$/.exec(text) ?? []
  if (username === undefined || password === undefined)
    throw new InvalidArgumentError('Accepted: a name and a password, such as demo:demo.')
  return { username, password }
}

export type Fields = Readonly<Record<string, unknown>>

/** Names that would change a prototype. */
const notFields = ['__proto__', 'constructor', 'prototype']

/** Adds `amount=2000` or `customer.email=a@b.example` to the fields. A value that is not JSON is text. */
export function readField(text: string, before: Fields = {}): Fields {
  const [, path, value] = /^([^=]+)=([^]*)$/.exec(text) ?? []
  const names = path?.split('.') ?? []
  if (value === undefined || names.some((name) => name === '' || notFields.includes(name)))
    throw new InvalidArgumentError('Accepted: a field and its value, such as amount=2000.')
  return mergeDeep(
    before,
    names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), valueOf(value)) as Fields,
  )
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const setOption = (about: string) => new Option('--set <field=value>', about).argParser(readField)

export const pathOf = (command: CommandUnknownOpts): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** Suggests the closest command that deletes nothing. */
export function unknownCommand(group: CommandUnknownOpts, word: string): never {
  const harmless = group.commands.filter(({ options }) => !options.some(({ long }) => long === '--yes'))
  const names = harmless.flatMap((command) => [command.name(), ...command.aliases()])
  return group.error(`there is no command ${word}${didYouMean(word, names)}. See ${pathOf(group)} --help.`)
}
