import { InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../config.ts'
import { durationsWithin, parseDuration } from '../duration.ts'
import { defaultAddress } from './address.ts'
import type { Target } from './client.ts'
import type { Process } from './process.ts'
import { isUrl } from '../is-url.ts'

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
    '--user <name:password>',
    'the API credentials (default: SANDBOX_API_USERNAME and SANDBOX_API_PASSWORD, or demo:demo)',
  ).argParser(readUser)

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

/** Timers count no further than to 24 days. */
const WAITS = { most: 24 * 86_400_000 }

/** How long to wait, milliseconds. */
export function readWait(text: string): number {
  try {
    return parseDuration(text, WAITS)
  } catch {
    throw new InvalidArgumentError(`Accepted: ${durationsWithin(WAITS)}.`)
  }
}

/** @param fallback the duration as the help shows it */
export const durationOption = (flag: string, about: string, fallback: string) =>
  new Option(`${flag} <duration>`, about).argParser(readWait).default(readWait(fallback), fallback)

function readUser(text: string) {
  const [, username, password] = /^([^:]+):(.*)$/.exec(text) ?? []
  if (username === undefined || password === undefined)
    throw new InvalidArgumentError('Accepted: a name and a password, such as demo:demo.')
  return { username, password }
}
