import { isIP } from 'node:net'
import { byteForms, formatBytes, parseBytes } from '../bytes.ts'
import { durationIssue, type DurationLimits, durationsWithin, parseDuration } from '../duration.ts'
import { type Keep, keepForms, parseKeep } from '../keep.ts'

/** How the text of a variable becomes a value. */
export interface Reader<T> {
  /** The accepted values in words; follows "accepted: " in messages. */
  readonly accepts: string
  /** The value, or undefined when the text is refused. */
  readonly read: (text: string) => T | undefined
}

/** A whole number from `least` to `most`, in digits only. */
export const wholeNumber = (least: number, most: number): Reader<number> => ({
  accepts:
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${least}`
      : `a whole number from ${least} to ${most}`,
  read: (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN
    return value >= least && value <= most ? value : undefined
  },
})

/** One of a few words, spelt exactly. */
export const oneOf = <const Word extends string>(...words: readonly Word[]): Reader<Word> => ({
  accepts: words.join(', ').replace(/, (?=[^,]*$)/, ' or '),
  read: (text) => words.find((word) => word === text),
})

/** Milliseconds. */
export const durationWithin = (limits?: DurationLimits): Reader<number> => ({
  accepts: durationsWithin(limits),
  read: (text) => (durationIssue(text, limits) === undefined ? parseDuration(text, limits) : undefined),
})

const NONE = 'none'

/** How many of something there may be; Infinity where there is no limit. */
export const count: Reader<number> = {
  accepts: 'a whole number from 1, or none for no limit',
  read: (text) => (text === NONE ? Infinity : wholeNumber(1, Number.MAX_SAFE_INTEGER).read(text)),
}

/** Bytes, so many at least; Infinity where there is no limit. */
export const sizeFrom = (least: number): Reader<number> => ({
  accepts: `${byteForms}${least > 1 ? `, from ${formatBytes(least)}` : ''}; none for no limit`,
  read: (text) => {
    const bytes = text === NONE ? Infinity : parseBytes(text)
    return bytes !== undefined && bytes >= least ? bytes : undefined
  },
})

/** For how long settled transactions are kept, and how many. */
export const keep: Reader<Keep> = {
  accepts: keepForms,
  read: (text) => {
    try {
      return parseKeep(text)
    } catch {
      return undefined
    }
  },
}

export const size = sizeFrom(1)

/** A part of something else, from 0 to 1; or bytes. */
export type Share = { readonly share: number } | { readonly bytes: number }

/** Bytes, or a part of the heap. */
export const sizeOrShare: Reader<Share> = {
  accepts: `${byteForms}; a share of the heap that Node.js may use, such as 50%; none for no limit`,
  read: (text) => {
    const percent = /^([1-9]\d?|100)%$/.exec(text)?.[1]
    if (percent !== undefined) return { share: Number(percent) / 100 }
    const bytes = size.read(text)
    return bytes === undefined ? undefined : { bytes }
  },
}

/** Networks of addresses with a comma between them, such as 10.0.0.0/8 or a single address. */
export const networks: Reader<readonly string[]> = {
  accepts: 'addresses or networks such as 10.0.0.0/8 or fd00::/8, with a comma between them',
  read: (value) => {
    const listed = value.split(',').map((each) => each.trim())
    return listed.every(isNetwork) ? listed : undefined
  },
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1
  if (bits === undefined) return most > 0
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

/** A number from `least` to `most` in digits, with a decimal point if need be. */
export const factor = (least: number, most: number): Reader<number> => ({
  accepts: `a number from ${least} to ${most}, such as 60 or 0.5`,
  read: (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
    return value >= least && value <= most ? value : undefined
  },
})

/** A time zone that this machine's tables know. */
export const timeZone: Reader<string> = {
  accepts: 'an IANA time zone, such as UTC or Africa/Nairobi',
  read: (text) => {
    // Asking costs 15 ms of the start, and this one is the default.
    if (text === 'UTC') return text
    try {
      return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone && text
    } catch {
      return undefined
    }
  },
}

const controlCharacter = /\p{Cc}/u

/** Text without control characters; neither do Basic credentials, a header or a path take those. */
export const text: Reader<string> = {
  accepts: 'text without control characters',
  read: (value) => (controlCharacter.test(value) ? undefined : value),
}

/** Text of any kind, over several lines too. */
export const anything: Reader<string> = {
  accepts: 'text',
  read: (value) => value,
}

/** Text that has none of the characters in `refused` either. */
export const textWithout = (refused: string): Reader<string> => ({
  accepts: `text without ${[...refused].map((character) => `'${character}'`).join(', ')} or control characters`,
  read: (value) =>
    [...refused].some((character) => value.includes(character)) ? undefined : text.read(value),
})

const hostName = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i

/** Where to listen: an address or a host name, without a port or a scheme. */
export const host: Reader<string> = {
  accepts: 'an IP address or a host name, such as 127.0.0.1, 0.0.0.0, :: or localhost',
  read: (value) => (isIP(value) || (hostName.test(value) && !/^[\d.]+$/.test(value)) ? value : undefined),
}

/** The address of a mail server. */
export const smtpUrl: Reader<string> = {
  accepts: 'an address such as smtp://127.0.0.1:1025 or smtps://user:password@mail.example',
  read: (value) => (/^smtps?:\/\/./.test(value) && URL.canParse(value) ? value : undefined),
}

/** Origins of web pages with a comma between them, `*` for all, or `none`. */
export const origins: Reader<readonly string[] | '*'> = {
  accepts: '*, none, or origins such as https://docs.example, with a comma between them',
  read: (value) => {
    if (value.trim() === '*') return '*'
    if (value.trim() === 'none') return []
    const listed = value.split(',').map((each) => each.trim())
    return listed.every(isOrigin) ? listed : undefined
  },
}

/** Ports with a comma between them, or `*` for all. */
export const ports: Reader<readonly number[] | '*'> = {
  accepts: '*, or ports such as 443,8443',
  read: (value) => {
    if (value.trim() === '*') return '*'
    const listed = value.split(',').map((each) => wholeNumber(1, 65_535).read(each.trim()))
    return listed.every((each) => each !== undefined) ? listed : undefined
  },
}

/** Domains and addresses of mail with a comma between them, or `*` for all; in lower case. */
export const recipients: Reader<readonly string[] | '*'> = {
  accepts: '*, or domains and addresses such as example.com,qa@example.org, with a comma between them',
  read: (value) => {
    if (value.trim() === '*') return '*'
    const listed = value.split(',').map((each) => each.trim().toLowerCase())
    return listed.every((each) => hostName.test(each.replace(/^[^@\s]+@/, ''))) ? listed : undefined
  },
}

const isOrigin = (value: string) =>
  /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value

const namedHost = /^(\*\.)?(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i

/** Names of hosts with a comma between them, `*` for all, or `none`. */
export const hosts: Reader<readonly string[] | '*'> = {
  accepts:
    '*, none, or names such as sandbox.example or *.sandbox.example, without a port, with a comma between them',
  read: (value) => {
    if (value.trim() === '*') return '*'
    if (value.trim() === 'none') return []
    const listed = value.split(',').map((each) => each.trim())
    return listed.every((each) => namedHost.test(each)) ? listed : undefined
  },
}
