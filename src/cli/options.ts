import { InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../config/config.ts'
import { durationsWithin, parseDuration } from '../lib/text/duration.ts'
import { defaultAddress } from './address.ts'
import type { Target } from './client.ts'
import type { Process } from './process.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { didYouMean } from '../lib/text/suggest.ts'

/** Which sandbox, and as whom; from the flags or the environment. */
export interface TargetOptions {
  readonly url?: string
  readonly user?: Pick<Target, 'username' | 'password'>
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

/** What is printed is for a program: a JSON object a line, whose `kind` says what it is. */
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

/** A number of units, or one that somebody gave out. */
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
export function readWait(text: string): number {
  try {
    return parseDuration(text, WAITS)
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationsWithin(WAITS)}.`)
  }
}

/** @param fallback the duration as the help shows it; none when left out */
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
