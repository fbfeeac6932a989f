import { isIP } from 'node:net'
import { durationForms, formatDuration, parseDuration } from '../duration.ts'

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
export const duration: Reader<number> = {
  accepts: durationForms,
  read: (text) => {
    try {
      return parseDuration(text)
    } catch {
      return undefined
    }
  },
}

/** Milliseconds within limits. */
export const durationTo = (least: number, most: number): Reader<number> => ({
  accepts: `${durationForms}; from ${formatDuration(least)} to ${formatDuration(most)}`,
  read: (text) => {
    const ms = duration.read(text)
    return ms !== undefined && ms >= least && ms <= most ? ms : undefined
  },
})

/** A positive number in digits, with a decimal point if need be. */
export const factor: Reader<number> = {
  accepts: 'a number greater than 0, such as 60 or 0.5',
  read: (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
    return value > 0 && Number.isFinite(value) ? value : undefined
  },
}

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
