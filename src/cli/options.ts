import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Credentials } from '../client/transport.ts'
import { defaultAddress } from './address.ts'
import type { Process } from './process.ts'
import { readConfig } from '../config/config.ts'
import { mergeDeep } from '../lib/objects.ts'
import { durationsWithin, parseDuration } from '../lib/text/duration.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { didYouMean } from '../lib/text/suggest.ts'

/** Takes the exit code of a command that has ended. */
export type End = (code: number) => void

/** Declares a command: its words, its flags and what it does. */
export type Declare = (io: Process, end: End) => Command

/** A running sandbox, and the credentials of a world in it. */
export interface Target extends Credentials {
  /** Without a slash at its end. */
  readonly url: string
}

/** Flags for the sandbox and the credentials; the environment has the others. */
export interface TargetOptions {
  readonly url?: string
  readonly user?: Credentials
}

export const urlOption = () =>
  new Option(
    '--url <address>',
    'the sandbox to ask (default: the one that SANDBOX_HOST and SANDBOX_PORT would start)',
  ).argParser(readAddress)

export const userOption = () =>
  new Option(
    '--key, --user <name:password>',
    'the API credentials, such as those of a key (default: SANDBOX_API_USERNAME and SANDBOX_API_PASSWORD, or demo:demo)',
  ).argParser(readUser)

/** The flag for output that programs read: JSON objects, one per line, with a `kind`. */
export const jsonOption = () => new Option('--json', 'a JSON object a line, for programs')

/** The flag of every command that deletes something; such a command is never suggested for a misspelt one. */
export const yesOption = () => new Option('--yes', 'do not ask')

export function targetOf({ env }: Process, { url, user }: TargetOptions): Target {
  const { SANDBOX_API_USERNAME, SANDBOX_API_PASSWORD } = env
  const config = readConfig({ SANDBOX_API_USERNAME, SANDBOX_API_PASSWORD })
  return {
    url: url ?? defaultAddress(env),
    ...(user ?? { username: config.apiUsername, password: config.apiPassword }),
  }
}

/** An address without a slash at its end. */
export function readAddress(text: string): string {
  if (/^https?:\/\/[^/]/.test(text) && isUrl(text)) return text.replace(/\/$/, '')
  throw new InvalidArgumentError('Accepted: an address such as http://127.0.0.1:8080.')
}

/** A flag that takes one of these words, and names the nearest for another. */
export const oneOf = (flag: string, about: string, words: readonly string[]) =>
  new Option(flag, about).choices(words).argParser((text: string) => {
    if (words.includes(text)) return text
    throw new InvalidArgumentError(`Accepted: ${words.join(', ')}${didYouMean(text, words)}.`)
  })

/** Statuses such as 201, 4xx, or none. */
export function readStatuses(text: string): RegExp {
  if (/^([1-5]\d\d|[1-5]xx|none)$/i.test(text)) return new RegExp(`^${text.replaceAll(/x/gi, '.')}$`, 'i')
  throw new InvalidArgumentError('Accepted: a status such as 201, 4xx for all of them, or none.')
}

/** Reads an amount in units of the currency, or the id of a Team. */
export function readAmount(text: string): number {
  if (/^\d{1,15}(\.\d{1,4})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted: a number such as 100 or 99.50.')
}

/** A number that time runs by. */
export function readFactor(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted: a number such as 60, or 0.5.')
}

/** A day, which begins at midnight UTC, or a time. */
export function readTime(text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('Accepted: a day or a time such as 2026-07-01 or 2026-07-01T08:00:00Z.')
}

/** Timers count no further than to 24 days. */
const WAITS = { most: 24 * 86_400_000 }

/** A duration, as it was written. */
export function readDuration(text: string): string {
  try {
    parseDuration(text)
    return text
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationsWithin()}.`)
  }
}

/** How long to wait, milliseconds. */
function readWait(text: string): number {
  try {
    return parseDuration(text, WAITS)
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationsWithin(WAITS)}.`)
  }
}

/** @param fallback the default as the help shows it */
export function durationOption(flag: string, about: string, fallback?: string): Option {
  const option = new Option(`${flag} <duration>`, about).argParser(readWait)
  return fallback === undefined ? option : option.default(readWait(fallback), fallback)
}

function readUser(text: string) {
  const [, username, password] = /^([^:]+):(.*)$/.exec(text) ?? []
  if (username === undefined || password === undefined)
    throw new InvalidArgumentError('Accepted: a name and a password, such as demo:demo.')
  return { username, password }
}

export type Fields = Readonly<Record<string, unknown>>

/** Names that a program must not write to. */
const notFields = ['__proto__', 'constructor', 'prototype']

/** Adds `amount=2000` or `customer.email=a@b.example` to the fields before it. A value is JSON where it can be, else a text. */
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

/** Of what is sent; may be said several times. */
export const setOption = (about: string) => new Option('--set <field=value>', about).argParser(readField)

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** Prints the nearest command that deletes nothing. */
export function unknownCommand(group: Command, word: string): never {
  const harmless = group.commands.filter(({ options }) => !options.some(({ long }) => long === '--yes'))
  const names = harmless.flatMap((command) => [command.name(), ...command.aliases()])
  return group.error(
    `error: there is no command '${word}'${didYouMean(word, names)}. See ${pathOf(group)} --help.`,
  )
}
