/** A scheme in the user's own words, for a receiver that none of the named ones fits. */
import { createHmac } from 'node:crypto'
import type { SigningKeys } from '../keys.ts'
import { secretBytes } from '../secrets.ts'
import { bodyBytes, type CallbackRequest, type SignatureHeaders } from './request.ts'

export interface CustomSettings {
  readonly header: string
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64' | 'base64url'
  /** What is signed: text with `{id}` `{timestamp}` `{body}` `{method}` `{url}`. */
  readonly template: string
  /** The header's value, with `{signature}`, `{id}` and `{timestamp}`; by default the bare signature. */
  readonly format?: string
  /** Other headers to send, with `{id}` and `{timestamp}`: a receiver needs what it cannot know. */
  readonly headers?: Readonly<Record<string, string>>
  /** `utf8` (default) takes the whole secret, `base64` the bytes behind `whsec_`. */
  readonly key?: 'utf8' | 'base64'
}

/** The header has room for one signature: the newest secret's. */
export function custom(
  request: CallbackRequest,
  keys: SigningKeys,
  settings: CustomSettings,
): SignatureHeaders {
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

/** The bytes a template stands for: filled in one pass, so a body that contains `{id}` is left as it is. */
export function customBytes(request: CallbackRequest, template: string): Buffer {
  const values: Record<string, Buffer | string> = {
    id: request.id,
    timestamp: String(request.timestampSeconds),
    body: bodyBytes(request.body),
    method: request.method.toUpperCase(),
    url: request.url,
  }
  // A split by a group puts the placeholders' names at the odd places.
  const pieces = template.split(/\{(\w+)\}/)
  return Buffer.concat(
    pieces.map((piece, index) => bodyBytes(index % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`))),
  )
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
