import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { levelOf, logLevels } from '../lib/log/log.ts'
import { byteForms, formatBytes, parseBytes } from '../lib/text/bytes.ts'
import { type DurationLimits, durationsWithin, parseDuration } from '../lib/text/duration.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { either } from '../lib/text/shown.ts'
import { keepForms, parseKeep } from '../service/vocabulary/keep.ts'
import { parseSettleAfter, settleAfterForms } from '../service/vocabulary/settle-after.ts'

/** Parses the text of a setting. */
export interface Reader<Value> {
  /** The accepted values for the documentation and error messages, where `must be` precedes them. */
  readonly accepts: string
  /** The only accepted words, which error messages suggest. */
  readonly words?: readonly string[]
  /** Returns undefined for an invalid text. */
  readonly read: (text: string) => Value | undefined
}

const reading = <Value>(accepts: string, read: Reader<Value>['read']): Reader<Value> => ({ accepts, read })

export const oneOf = <const Word extends string>(...words: readonly Word[]): Reader<Word> => ({
  accepts: either(words),
  words,
  read: (text) => words.find((each) => each === text),
})

/** Also accepts the names that other tools use. */
export const logLevel = reading(
  `${either(logLevels)}, or what other tools call one of them, such as warning, trace or off`,
  levelOf,
)

export const onOrOff = oneOf('on', 'off')

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  reading(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${least}`
      : `a whole number from ${least} to ${most}`,
    (text) => within(/^\d+$/, text, least, most),
  )

export const factor = (least: number, most: number) =>
  reading(`a number from ${least} to ${most}, such as 60 or 0.5`, (text) =>
    within(/^\d+(\.\d+)?$/, text, least, most),
  )

function within(form: RegExp, text: string, least: number, most: number): number | undefined {
  const value = form.test(text) ? Number(text) : NaN
  return value >= least && value <= most ? value : undefined
}

/** Milliseconds. */
export const durationWithin = (limits?: DurationLimits) =>
  reading(durationsWithin(limits), (text) => orUndefined(() => parseDuration(text, limits)))

/** Milliseconds, without limits. */
export const duration = durationWithin()

const NONE = 'none'

/** Infinity for `none`. */
export const count = reading('a whole number from 1, or none for no limit', (text) =>
  text === NONE ? Infinity : within(/^\d+$/, text, 1, Number.MAX_SAFE_INTEGER),
)

const bytesFrom = (least: number, text: string): number | undefined => {
  const bytes = text === NONE ? Infinity : parseBytes(text)
  return bytes !== undefined && bytes >= least ? bytes : undefined
}

/** Bytes; Infinity for `none`. */
export const sizeFrom = (least: number) =>
  reading(`${byteForms}${least > 1 ? `, from ${formatBytes(least)}` : ''}; none for no limit`, (text) =>
    bytesFrom(least, text),
  )

export const size = sizeFrom(1)

/** A share from 0 to 1, or bytes. */
export type Share = { readonly share: number } | { readonly bytes: number }

export const sizeOrShare = reading<Share>(
  `${byteForms}; a share of the heap that Node.js may use, such as 50%; none for no limit`,
  (text) => {
    const percent = /^([1-9]\d?|100)%$/.exec(text)?.[1]
    if (percent !== undefined) return { share: Number(percent) / 100 }
    const bytes = bytesFrom(1, text)
    return bytes === undefined ? undefined : { bytes }
  },
)

export const keep = reading(keepForms, (text) => orUndefined(() => parseKeep(text)))

export const settleAfter = reading(settleAfterForms, (text) => orUndefined(() => parseSettleAfter(text)))

export const timeZone = reading('an IANA time zone, such as UTC or Africa/Nairobi', (text) => {
  // The check takes 15 ms at the start, so it is skipped for the default.
  if (text === 'UTC') return text
  return orUndefined(
    () => new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone && text,
  )
})

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const plain = /^\P{Cc}*$/u

const only = (accepts: (text: string) => boolean) => (text: string) => (accepts(text) ? text : undefined)
const matching = (form: RegExp) => only((text) => form.test(text))

/** Control characters are invalid in Basic credentials, headers and paths. */
export const text = reading('text without control characters', matching(plain))

export const anything = reading('text', (text) => text)

/** Text without control characters and the given ones. */
export const textWithout = (refused: string) =>
  reading(
    `text without ${[...refused].map((character) => `'${character}'`).join(', ')} or control characters`,
    only((value) => plain.test(value) && ![...refused].some((character) => value.includes(character))),
  )

const hostName = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i

export const host = reading(
  'an IP address or a host name, such as 127.0.0.1, 0.0.0.0, :: or localhost',
  only((value) => isIP(value) !== 0 || (hostName.test(value) && !/^[\d.]+$/.test(value))),
)

const urlLike = (form: RegExp, text: string) => (form.test(text) && isUrl(text) ? text : undefined)

export const smtpUrl = reading(
  'an address such as smtp://127.0.0.1:1025 or smtps://user:password@mail.example',
  (text) => urlLike(/^smtps?:\/\/\S+$/, text.trim()),
)

export const processUrl = reading('auto, off, or a URL such as http://10.0.0.5:8080', (text) =>
  text === 'auto' || text === 'off' ? text : urlLike(/^http:\/\/[^\s/?#@]+$/, text.trim()),
)

/** @param read - Parses an item. */
function listOf<Item>(text: string, read: (item: string) => Item | undefined): Item[] | undefined {
  const items = text.split(',').map((each) => read(each.trim()))
  return items.every((each) => each !== undefined) ? items : undefined
}

/** A list, or a word with a special meaning. */
const listOrWord = <Item, Words>(
  accepts: string,
  words: { readonly [word: string]: Words },
  item: (text: string) => Item | undefined,
) =>
  reading<Item[] | Words>(accepts, (text) => {
    const word = text.trim()
    return Object.hasOwn(words, word) ? words[word] : listOf(text, item)
  })

const ALL = { '*': '*' } as const
const ALL_OR_NONE = { ...ALL, none: [] as readonly string[] } as const

const network = lazy(() =>
  z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'private', 'linklocal'])]),
)

export const networks = reading(
  'a comma-separated list of loopback, private, linklocal, and addresses or networks such as 10.0.0.0/8 or fd00::/8',
  (text) => listOf(text, (each) => network().safeParse(each).data),
)

/** Without a slash at the end. */
export const publicUrl = reading(
  'an address such as https://pay.example.com or https://example.com/pay, without credentials, query or fragment',
  (text) => {
    if (urlLike(/^https?:\/\/[^\s?#@\\]+$/i, text) === undefined) return undefined
    const { origin, pathname } = new URL(text)
    return /^[\w./~-]*$/.test(pathname) && !pathname.includes('//')
      ? origin + pathname.replace(/\/$/, '')
      : undefined
  },
)

const isDatabaseUrl = (text: string) =>
  /^postgres(ql)?:\/\/[^\s]+$/i.test(text) && isUrl(text) && new URL(text).pathname.length > 1

export const databaseUrl = reading(
  'an address such as postgres://user:password@db.example:5432/sandbox',
  only(isDatabaseUrl),
)

/** A comma may also be part of an address. */
export const databaseUrls = reading('different addresses of databases, separated by commas', (text) => {
  const urls = text.split(/,\s*(?=postgres(?:ql)?:\/\/)/i).map((url) => url.trim())
  return urls.every(isDatabaseUrl) && new Set(urls).size === urls.length ? urls : undefined
})

/** Comma-separated names or paths. */
export const list = reading('a comma-separated list', (text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

export const ports = listOrWord('*, or ports such as 443,8443', ALL, wholeNumber(1, 65_535).read)

const isOrigin = (value: string) => /^https?:/.test(value) && isUrl(value) && new URL(value).origin === value

export const origins = listOrWord(
  '*, none, or comma-separated origins such as https://docs.example',
  ALL_OR_NONE,
  only(isOrigin),
)

/** A wildcard needs at least two labels after it, because anyone can register a name below a top-level domain. */
const WILD = /^https?:\/\/(\*\.(?=[^.:]+\.))?[^*]+$/

/** Origins that may call the API: stricter, because a wildcard must not cover domains of different owners. */
export const callingOrigins = listOrWord(
  'none, comma-separated origins such as https://docs.example, http://localhost:3000 or https://*.docs.example, or *',
  ALL_OR_NONE,
  only((value) => isOrigin(value) && WILD.test(value)),
)

const recipient = /^([^@\s]+@)?(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/

/** In lower case. */
export const recipients = listOrWord(
  '*, or comma-separated domains and addresses such as example.com,qa@example.org',
  ALL,
  (value) => matching(recipient)(value.toLowerCase()),
)

export const hosts = listOrWord(
  '*, none, or comma-separated names without a port, such as sandbox.example or *.sandbox.example',
  ALL_OR_NONE,
  matching(/^(\*\.)?(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i),
)

export const ed25519Key = reading(
  'an Ed25519 private key, as PEM or in base64, such as the output of `openssl genpkey -algorithm ed25519`',
  ed25519KeyOf,
)

export const namedTokens = reading(
  'comma-separated names with tokens of at least 16 characters, such as anna:0f3c…,ci:9a2b…',
  (text) => {
    const tokens = text.split(',').map((each) => /^\s*([\w.-]{1,32}):([^\s,]{16,256})\s*$/.exec(each))
    const named = tokens.map((found) => ({ name: found?.[1] ?? '', token: found?.[2] ?? '' }))
    const known = new Set(named.map(({ name }) => name))
    return named.every(({ token }) => token !== '') && known.size === named.length ? named : undefined
  },
)

/** The bytes before the 32 bytes of a key in PKCS #8 (RFC 8410). */
const BEFORE_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Maximum number of published older keys. */
const MOST_OLDER = 10

/** Returns the private key as PKCS #8 in base64, followed by the public keys of older ones, separated by spaces. */
function ed25519KeyOf(text: string): string | undefined {
  const [own, ...older] = keysIn(text.trim())
  if (!isEd25519(own) || own.type !== 'private' || older.length > MOST_OLDER || !older.every(isEd25519))
    return undefined
  const halves = older.map((key) => (key.type === 'private' ? createPublicKey(key) : key))
  return [
    own.export({ format: 'der', type: 'pkcs8' }),
    ...halves.map((key) => key.export({ format: 'der', type: 'spki' })),
  ]
    .map((der) => der.toString('base64'))
    .join(' ')
}

const isEd25519 = (key: KeyObject | undefined): key is KeyObject => key?.asymmetricKeyType === 'ed25519'

function keysIn(text: string): readonly (KeyObject | undefined)[] {
  if (isPem(text)) return ofPem(text)
  if (!/^[\w+/-]+={0,2}$/.test(text)) return []
  const bytes = Buffer.from(text, 'base64')
  const inner = bytes.toString('latin1')
  if (isPem(inner)) return ofPem(inner)
  const key = bytes.length === 32 ? Buffer.concat([BEFORE_SEED, bytes]) : bytes
  return [orUndefined(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' }))]
}

const isPem = (text: string) => text.trimStart().startsWith('-----BEGIN')

const ofPem = (text: string) =>
  text
    .trim()
    .replaceAll('\\n', '\n')
    .split(/(?=-----BEGIN )/)
    .map((block) =>
      orUndefined(() =>
        block.startsWith('-----BEGIN PUBLIC') ? createPublicKey(block) : createPrivateKey(block),
      ),
    )
