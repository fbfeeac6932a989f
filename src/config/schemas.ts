import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { levelOf, logLevels } from '../lib/log/log.ts'
import { byteForms, formatBytes, parseBytes } from '../lib/text/bytes.ts'
import { durationIssue, type DurationLimits, durationsWithin, parseDuration } from '../lib/text/duration.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { keepForms, parseKeep } from '../service/vocabulary/keep.ts'
import { parseSettleAfter, settleAfterForms } from '../service/vocabulary/settle-after.ts'

/**
 * The schemas that settings are read with: from the text of a variable to a value. Each says in words what it accepts, for
 * the documentation and for who has written something else. They are made when they are first asked for: to make one
 * takes longer than to read with it, and most variables are never set.
 */

const accepted = z.registry<{ readonly accepts: string }>()

/** The values that a schema of this file accepts, in words that follow `must be`. */
export const acceptedBy = (schema: z.ZodType): string => accepted.get(schema)!.accepts

function accepting<Schema extends z.ZodType>(accepts: string, schema: Schema): Schema {
  accepted.add(schema, { accepts })
  return schema
}

/** @param read the value of a text; undefined, or an error thrown, when it is refused */
const reading = <Value>(accepts: string, read: (text: string) => Value | undefined) =>
  accepting(
    accepts,
    z.transform((text: string, { issues }): Value => {
      const value = read(text)
      if (value !== undefined) return value
      issues.push({ code: 'custom', input: text })
      return z.NEVER
    }),
  )

/** One of a few words, spelt exactly. */
export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  accepting(either(words), z.enum(words))

/** `flat, nested or none`. */
export const either = (words: readonly string[]) => words.join(', ').replace(/, (?=[^,]*$)/, ' or ')

/** The least important lines that are logged, in the words of other tools too. */
export const logLevel = lazy(() =>
  reading(
    `${either(logLevels)}, or what other tools call one of them, such as warning, trace or off`,
    levelOf,
  ),
)

export const onOrOff = lazy(() => oneOf('on', 'off'))

/** A whole number from `least` to `most`, in digits only. */
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  reading(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${least}`
      : `a whole number from ${least} to ${most}`,
    (text) => within(/^\d+$/, text, least, most),
  )

/** A number from `least` to `most` in digits, with a decimal point if need be. */
export const factor = (least: number, most: number) =>
  reading(`a number from ${least} to ${most}, such as 60 or 0.5`, (text) =>
    within(/^\d+(\.\d+)?$/, text, least, most),
  )

function within(form: RegExp, text: string, least: number, most: number): number | undefined {
  const value = form.test(text) ? Number(text) : NaN
  return value >= least && value <= most ? value : undefined
}

/** Milliseconds, however many a duration may have. */
export const duration = lazy(() => durationWithin())

/** Milliseconds. */
export const durationWithin = (limits?: DurationLimits) =>
  reading(durationsWithin(limits), (text) =>
    durationIssue(text, limits) === undefined ? parseDuration(text, limits) : undefined,
  )

const NONE = 'none'

/** How many of something there may be; Infinity where there is no limit. */
export const count = lazy(() =>
  reading('a whole number from 1, or none for no limit', (text) =>
    text === NONE ? Infinity : within(/^\d+$/, text, 1, Number.MAX_SAFE_INTEGER),
  ),
)

const bytesFrom = (least: number, text: string): number | undefined => {
  const bytes = text === NONE ? Infinity : parseBytes(text)
  return bytes !== undefined && bytes >= least ? bytes : undefined
}

/** Bytes, so many at least; Infinity where there is no limit. */
export const sizeFrom = (least: number) =>
  reading(`${byteForms}${least > 1 ? `, from ${formatBytes(least)}` : ''}; none for no limit`, (text) =>
    bytesFrom(least, text),
  )

export const size = lazy(() => sizeFrom(1))

/** A part of something else, from 0 to 1; or bytes. */
export type Share = { readonly share: number } | { readonly bytes: number }

/** Bytes, or a part of the heap. */
export const sizeOrShare = lazy(() =>
  reading<Share>(
    `${byteForms}; a share of the heap that Node.js may use, such as 50%; none for no limit`,
    (text) => {
      const percent = /^([1-9]\d?|100)%$/.exec(text)?.[1]
      if (percent !== undefined) return { share: Number(percent) / 100 }
      const bytes = bytesFrom(1, text)
      return bytes === undefined ? undefined : { bytes }
    },
  ),
)

/** For how long settled transactions are kept, and how many. */
export const keep = lazy(() => reading(keepForms, (text) => orUndefined(() => parseKeep(text))))

/** How long transactions stay queued. */
export const settleAfter = lazy(() =>
  reading(settleAfterForms, (text) => orUndefined(() => parseSettleAfter(text))),
)

/** A time zone that this machine's tables know. */
export const timeZone = lazy(() =>
  reading('an IANA time zone, such as UTC or Africa/Nairobi', (text) => {
    // Asking costs 15 ms of the start, and this one is the default.
    if (text === 'UTC') return text
    return orUndefined(
      () => new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone && text,
    )
  }),
)

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const plain = /^\P{Cc}*$/u

/** Text without control characters; neither do Basic credentials, a header or a path take those. */
export const text = lazy(() =>
  reading('text without control characters', (value) => (plain.test(value) ? value : undefined)),
)

/** Text of any kind, over several lines too. */
export const anything = lazy(() => accepting('text', z.string()))

/** Text that has none of the characters in `refused` either. */
export const textWithout = (refused: string) =>
  reading(
    `text without ${[...refused].map((character) => `'${character}'`).join(', ')} or control characters`,
    (value) =>
      plain.test(value) && ![...refused].some((character) => value.includes(character)) ? value : undefined,
  )

const hostName = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i

/** Where to listen: an address or a host name, without a port or a scheme. */
export const host = lazy(() =>
  reading('an IP address or a host name, such as 127.0.0.1, 0.0.0.0, :: or localhost', (value) =>
    isIP(value) || (hostName.test(value) && !/^[\d.]+$/.test(value)) ? value : undefined,
  ),
)

/** The address of a mail server. */
export const smtpUrl = lazy(() =>
  accepting(
    'an address such as smtp://127.0.0.1:1025 or smtps://user:password@mail.example',
    z.url({ protocol: /^smtps?$/ }).regex(/^smtps?:\/\/./),
  ),
)

/** Texts with a comma between them. */
const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.transform((text: string) => text.split(',').map((each) => each.trim())).pipe(z.array(item))

/**
 * A list, or a word that stands for one.
 * @param words what each word means
 * @param list made when a list is there: most have a word, at every start
 */
const listOrWord = <Value, Words>(
  accepts: string,
  words: { readonly [word: string]: Words },
  list: () => z.ZodType<Value, string>,
) =>
  reading<Value | Words>(accepts, (text) => {
    const word = text.trim()
    return Object.hasOwn(words, word) ? words[word] : list().safeParse(text).data
  })

const ALL = { '*': '*' } as const
const ALL_OR_NONE = { ...ALL, none: [] as readonly string[] } as const

/** Networks of addresses with a comma between them, such as 10.0.0.0/8, a single address, or a word for some. */
export const networks = lazy(() =>
  accepting(
    'loopback, private, linklocal, addresses or networks such as 10.0.0.0/8 or fd00::/8, with a comma between them',
    listOf(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'private', 'linklocal'])]),
    ),
  ),
)

/** The address that a site is known by, a path included; without a slash at its end. */
export const publicUrl = lazy(() =>
  reading(
    'an address such as https://pay.example.com or https://example.com/pay, without a user, a query or a #',
    (text) => {
      if (!/^https?:\/\/[^\s?#@\\]+$/i.test(text) || !isUrl(text)) return undefined
      const { origin, pathname } = new URL(text)
      return /^[\w./~-]*$/.test(pathname) && !pathname.includes('//')
        ? origin + pathname.replace(/\/$/, '')
        : undefined
    },
  ),
)

/** Where a PostgreSQL is, and which of its databases. */
export const databaseUrl = lazy(() =>
  reading('an address such as postgres://user:password@db.example:5432/sandbox', (text) =>
    /^postgres(ql)?:\/\/[^\s]+$/i.test(text) && isUrl(text) && new URL(text).pathname.length > 1
      ? text
      : undefined,
  ),
)

/** Ports with a comma between them, or `*` for all. */
export const ports = lazy(() =>
  listOrWord('*, or ports such as 443,8443', ALL, () => listOf(wholeNumber(1, 65_535))),
)

/** Origins of web pages with a comma between them, `*` for all, or `none`. */
export const origins = lazy(() =>
  listOrWord('*, none, or origins such as https://docs.example, with a comma between them', ALL_OR_NONE, () =>
    listOf(z.string().refine(isOrigin)),
  ),
)

/** The same of pages that are let do more: each stands for itself, or for the subdomains of a name that somebody owns. */
export const callingOrigins = lazy(() =>
  listOrWord(
    'none, whole origins such as https://docs.example, http://localhost:3000 or https://*.docs.example, with a comma between them, or *',
    ALL_OR_NONE,
    () => listOf(z.string().refine((value) => isOrigin(value) && WILD.test(value))),
  ),
)

/** Without a wildcard, or with one in front of a name of two parts at least: below a single one anybody may have a page. */
const WILD = /^https?:\/\/(\*\.(?=[^.:]+\.))?[^*]+$/

const isOrigin = (value: string) => /^https?:/.test(value) && isUrl(value) && new URL(value).origin === value

/** Domains and addresses of mail with a comma between them, or `*` for all; in lower case. */
export const recipients = lazy(() =>
  listOrWord(
    '*, or domains and addresses such as example.com,qa@example.org, with a comma between them',
    ALL,
    () => listOf(z.string().toLowerCase().regex(recipient)),
  ),
)

const recipient = /^([^@\s]+@)?(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/

/** Names of hosts with a comma between them, `*` for all, or `none`. */
export const hosts = lazy(() =>
  listOrWord(
    '*, none, or names such as sandbox.example or *.sandbox.example, without a port, with a comma between them',
    ALL_OR_NONE,
    () => listOf(z.string().regex(namedHost)),
  ),
)

const namedHost = /^(\*\.)?(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i

/** A private key of Ed25519; as PKCS #8 in base64. */
export const ed25519Key = lazy(() =>
  reading(
    'an Ed25519 private key, such as `openssl genpkey -algorithm ed25519` prints, as PEM or in base64',
    ed25519KeyOf,
  ),
)

/** Secrets, each by a name for people. */
export const namedTokens = lazy(() =>
  reading(
    'names with a token of at least 16 characters each, such as anna:0f3c…,ci:9a2b…, with a comma between them',
    (text) => {
      const tokens = text.split(',').map((each) => /^\s*([\w.-]{1,32}):([^\s,]{16,256})\s*$/.exec(each))
      const named = tokens.map((found) => ({ name: found?.[1] ?? '', token: found?.[2] ?? '' }))
      const known = new Set(named.map(({ name }) => name))
      return named.every(({ token }) => token !== '') && known.size === named.length ? named : undefined
    },
  ),
)

/** What stands in front of a key's 32 bytes in its PKCS #8 (RFC 8410). */
const BEFORE_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Keys that are published beside the one that signs. */
const MOST_OLDER = 10

/**
 * Its PKCS #8 in base64, and after a blank each that of the public half of an older key, where PEM has several one below another;
 * undefined for whatever is none.
 */
export function ed25519KeyOf(text: string): string | undefined {
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
  return [keyOf(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' }))]
}

const isPem = (text: string) => text.trimStart().startsWith('-----BEGIN')

const ofPem = (text: string) =>
  text
    .trim()
    .replaceAll('\\n', '\n')
    .split(/(?=-----BEGIN )/)
    .map((block) =>
      keyOf(() => (block.startsWith('-----BEGIN PUBLIC') ? createPublicKey(block) : createPrivateKey(block))),
    )

function keyOf(make: () => KeyObject): KeyObject | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
