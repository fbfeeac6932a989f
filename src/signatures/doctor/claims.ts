/** How each HMAC profile writes its signature, and what a request claims in that form. */
import { customBytes, type CustomSettings } from '../profiles/custom.ts'
import { bodyBytes, dotted } from '../profiles/request.ts'
import type { ProfileName } from '../schemes.ts'
import { headerOf, type CheckInput } from './diagnosis.ts'

export interface Claim {
  readonly profile: ProfileName
  /** The header of the signature, as the profile spells it. */
  readonly header: string
  readonly received: string | null
  /** What the profile puts before each signature. */
  readonly mark: string
  /** The signatures, with whatever mark was found before them. */
  readonly signatures: readonly { readonly mark: string; readonly text: string }[]
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64' | 'base64url'
  readonly key: 'utf8' | 'base64'
  /** Null: the profile has none. */
  readonly timestamp: string | null
  readonly id: string | null
  readonly timeChecks: 'both' | 'past' | 'none'
  readonly missing: readonly string[]
  /** The bytes to sign, from a timestamp and a body. */
  readonly content: (timestamp: string, body: Buffer | string) => Buffer
  /** The header's value for a signature. */
  readonly value: (signature: string, timestamp: string) => string
}

export function standardClaim(input: CheckInput): Claim | null {
  const [signature, id, timestamp] = ['signature', 'id', 'timestamp'].map(
    (name) => headerOf(input, `webhook-${name}`) ?? headerOf(input, `svix-${name}`),
  ) as [string | null, string | null, string | null]
  if (signature === null && id === null && timestamp === null) return null
  return {
    profile: 'standard',
    header: 'webhook-signature',
    received: signature,
    mark: 'v1,',
    signatures: (signature ?? '')
      .split(' ')
      .filter(Boolean)
      .map(split(/^v1[,=:]/)),
    algorithm: 'sha256',
    encoding: 'base64',
    key: 'base64',
    timestamp,
    id,
    timeChecks: 'both',
    missing: missing({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }),
    content: (time, body) => dotted([id ?? '', time], body),
    value: (text) => `v1,${text}`,
  }
}

export function stripeClaim(input: CheckInput): Claim | null {
  const received = headerOf(input, 'Stripe-Signature')
  if (received === null) return null
  const timestamp = /(?:^|,)\s*t=([^,]*)/.exec(received)?.[1] ?? null
  return {
    profile: 'stripe',
    header: 'Stripe-Signature',
    received,
    mark: 'v1=',
    signatures: received
      .replace(/(?:^|,)\s*t=[^,]*/, '')
      .replaceAll('v1,', 'v1:')
      .split(',')
      .filter((part) => part !== '' && !part.startsWith('v0='))
      .map(split(/^v1[:=]/)),
    algorithm: 'sha256',
    encoding: 'hex',
    key: 'utf8',
    timestamp,
    id: null,
    timeChecks: 'past',
    missing: missing({ 'Stripe-Signature (its part t=)': timestamp }),
    content: (time, body) => dotted([time], body),
    value: (text, time) => `t=${time},v1=${text}`,
  }
}

export function githubClaim(input: CheckInput): Claim | null {
  const received = headerOf(input, 'X-Hub-Signature-256')
  if (received === null) return null
  return {
    ...bodyOnly('github', 'X-Hub-Signature-256', received, 'sha256'),
    mark: 'sha256=',
    signatures: [split(/^sha256[=:,]/)(received)],
    value: (text) => `sha256=${text}`,
  }
}

export function hmacSha512Claim(input: CheckInput, header: string): Claim | null {
  const received = headerOf(input, header)
  return received === null ? null : bodyOnly('hmac-sha512', header, received, 'sha512')
}

export function customClaim(input: CheckInput, settings: CustomSettings): Claim | null {
  const received = headerOf(input, settings.header)
  if (received === null) return null
  const format = settings.format ?? '{signature}'
  const parts = readFormat(format, received)
  const used = (name: string) => settings.template.includes(`{${name}}`)
  const find = (name: string) => {
    const header = Object.entries(settings.headers ?? {}).find(([, value]) => value === `{${name}}`)?.[0]
    return parts[name] ?? (header === undefined ? null : headerOf(input, header))
  }
  const [id, timestamp] = [find('id'), find('timestamp')]
  return {
    ...bodyOnly('custom', settings.header, parts.signature ?? received, settings.algorithm),
    received,
    encoding: settings.encoding,
    key: settings.key ?? 'utf8',
    id,
    timestamp,
    timeChecks: timestamp === null ? 'none' : 'both',
    missing: missing({
      ...(used('id') ? { 'of the id': id } : {}),
      ...(used('timestamp') ? { 'of the timestamp': timestamp } : {}),
    }),
    content: (time, body) =>
      customBytes(
        {
          id: id ?? '',
          timestampSeconds: Number(time),
          method: input.method ?? 'POST',
          url: input.url ?? '',
          body,
          contentType: '',
        },
        settings.template,
      ),
    value: (text, time) =>
      format
        .replace('{signature}', text)
        .replace('{timestamp}', time)
        .replace('{id}', id ?? ''),
  }
}

function bodyOnly(
  profile: ProfileName,
  header: string,
  received: string,
  algorithm: Claim['algorithm'],
): Claim {
  return {
    profile,
    header,
    received,
    mark: '',
    signatures: [{ mark: '', text: received }],
    algorithm,
    encoding: 'hex',
    key: 'utf8',
    timestamp: null,
    id: null,
    timeChecks: 'none',
    missing: [],
    content: (_, body) => bodyBytes(body),
    value: (text) => text,
  }
}

function split(mark: RegExp): (text: string) => { mark: string; text: string } {
  return (text) => {
    const found = mark.exec(text)?.[0] ?? ''
    return { mark: found.replace('v1:', 'v1,'), text: text.slice(found.length) }
  }
}

function missing(values: Record<string, string | null>): string[] {
  return Object.keys(values).filter((name) => !values[name])
}

/** The parts of a value written by a format; none when it was not, or when the format names a part twice. */
function readFormat(format: string, value: string): Record<string, string | undefined> {
  // A split by a group puts the placeholders' names at the odd places.
  const [start, ...rest] = format.split(/\{(signature|id|timestamp)\}/) as [string, ...string[]]
  const found: Record<string, string> = {}
  if (!value.startsWith(start)) return {}
  let at = start.length
  for (let n = 0; n < rest.length; n += 2) {
    const name = rest[n]!
    const literal = rest[n + 1]!
    // Each part has a letter at least and ends as soon as it may, but for the last, which has all that is left.
    const last = n + 2 === rest.length
    const end = last ? value.length - literal.length : value.indexOf(literal, at + 1)
    if (end <= at || !value.startsWith(literal, end) || found[name] !== undefined) return {}
    found[name] = value.slice(at, end)
    at = end + literal.length
  }
  return found
}
