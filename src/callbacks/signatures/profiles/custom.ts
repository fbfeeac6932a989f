/** A configurable signature for receivers that need none of the named profiles. */
import { createHmac } from 'node:crypto'
import * as z from 'zod'
import { lazy } from '../../../lib/lazy.ts'
import { type CheckInput, diagnose, headerOf, mistake } from '../doctor/diagnosis.ts'
import { bodyOnly, checkHmac, type Claim, missingOf } from '../doctor/hmac.ts'
import { secretBytes, type SigningKeys } from '../secrets.ts'
import { bodyBytes, type CallbackRequest, type SignatureHeaders, type SignatureProfile } from '../profile.ts'

type CustomSettings = Readonly<z.output<ReturnType<typeof Settings>>>

const Settings = lazy(() =>
  z.strictObject({
    profile: z.literal('custom'),
    header: z.string().min(1),
    algorithm: z.enum(['sha1', 'sha256', 'sha512']),
    encoding: z.enum(['hex', 'base64', 'base64url']),
    /** The signed text, with `{id}` `{timestamp}` `{body}` `{method}` `{url}`. */
    template: z.string(),
    /** The value of the header, with `{signature}`, `{id}` and `{timestamp}`; `{signature}` by default. */
    format: z.string().exactOptional(),
    /** Further headers, with `{id}` and `{timestamp}`. */
    headers: z.record(z.string(), z.string()).exactOptional(),
    /** Whether the key is the whole secret as text (default) or the decoded bytes after `whsec_`. */
    key: z.enum(['utf8', 'base64']).exactOptional(),
  }),
)

export const custom: SignatureProfile<CustomSettings> = {
  name: 'custom',
  about: {
    headers: 'your choice',
    signed: 'a template of `{id}` `{timestamp}` `{body}` `{method}` `{url}`',
    key: 'the secret as text or base64-decoded',
    form: 'hex, base64 or base64url of HMAC-SHA1, -SHA256 or -SHA512',
  },
  defaults: null,
  described: {
    schema: Settings,
    example:
      '{"profile": "custom", "header": "X-Signature", "algorithm": "sha256", "encoding": "hex", "template": "{timestamp}.{body}"}',
  },
  requireSound,
  headers: ({ header, headers = {} }) => [header, ...Object.keys(headers)],
  sign,
  check(input, settings) {
    const claim = claimOf(input, settings)
    if (claim && settings.template.includes('{url}') && input.url === undefined) {
      const missing = mistake(
        'missing-input',
        'give url (and method, unless POST): they are part of what is signed',
      )
      return diagnose('custom', [missing], { received: null })
    }
    return checkHmac(claim, input)
  },
}

/** The header contains one signature, that of the newest secret. */
function sign(request: CallbackRequest, keys: SigningKeys, settings: CustomSettings): SignatureHeaders {
  const key = settings.key === 'base64' ? secretBytes(keys.newest) : keys.newest
  const signature = createHmac(settings.algorithm, key)
    .update(customBytes(request, settings.template))
    .digest(settings.encoding)
  const known = { id: request.id, timestamp: String(request.timestampSeconds) }
  const headers: SignatureHeaders = {
    [settings.header]: fill(settings.format ?? '{signature}', { ...known, signature }),
  }
  for (const [name, value] of Object.entries(settings.headers ?? {})) headers[name] = fill(value, known)
  return headers
}

/** Fills a template in one pass, so that placeholders in the body stay unchanged. */
function customBytes(request: CallbackRequest, template: string): Buffer {
  const values: Record<string, Buffer | string> = {
    id: request.id,
    timestamp: String(request.timestampSeconds),
    body: bodyBytes(request.body),
    method: request.method.toUpperCase(),
    url: request.url,
  }
  // Splitting by a group puts the names of placeholders at odd indexes.
  const pieces = template.split(/\{(\w+)\}/)
  return Buffer.concat(
    pieces.map((piece, index) => bodyBytes(index % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`))),
  )
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

const PLACEHOLDERS = {
  template: ['id', 'timestamp', 'body', 'method', 'url'],
  format: ['signature', 'id', 'timestamp'],
  headers: ['id', 'timestamp'],
}

function requireSound(settings: CustomSettings): void {
  requirePlaceholders('template', settings.template)
  requirePlaceholders('format', settings.format ?? '{signature}')
  for (const value of Object.values(settings.headers ?? {})) requirePlaceholders('headers', value)
  if (!settings.template.includes('{body}'))
    throw new Error('template has no {body}: nothing would protect the body')
  if (settings.format !== undefined && !settings.format.includes('{signature}')) {
    throw new Error('format has no {signature}: the header would not hold it')
  }
}

function requirePlaceholders(field: keyof typeof PLACEHOLDERS, text: string): void {
  // Only the template is not sent as a header.
  if (field !== 'template' && !/^[\t\x20-\x7e]*$/.test(text))
    throw new Error(`${field} has characters that a header cannot hold`)
  for (const [whole, name] of text.matchAll(/\{(\w+)\}/g)) {
    if (!PLACEHOLDERS[field].includes(name ?? '')) {
      const possible = PLACEHOLDERS[field].map((each) => `{${each}}`).join(' ')
      throw new Error(`${field} has ${whole}: it can hold ${possible}`)
    }
  }
}

function claimOf(input: CheckInput, settings: CustomSettings): Claim | null {
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
    signsTimeAsText: false,
    missing: missingOf({
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

/** Parses a value of a format. Returns no parts if it does not match, or if the format contains a part twice. */
function readFormat(format: string, value: string): Record<string, string | undefined> {
  // Splitting by a group puts the names of placeholders at odd indexes.
  const [start, ...rest] = format.split(/\{(signature|id|timestamp)\}/) as [string, ...string[]]
  const found: Record<string, string> = {}
  if (!value.startsWith(start)) return {}
  let at = start.length
  for (let n = 0; n < rest.length; n += 2) {
    const name = rest[n]!
    const literal = rest[n + 1]!
    // Each part has at least one character and ends as early as possible; the last one takes the rest.
    const last = n + 2 === rest.length
    const end = last ? value.length - literal.length : value.indexOf(literal, at + 1)
    if (end <= at || !value.startsWith(literal, end) || found[name] !== undefined) return {}
    found[name] = value.slice(at, end)
    at = end + literal.length
  }
  return found
}
