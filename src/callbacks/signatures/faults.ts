/** Signed callbacks that are wrong on purpose, one way each, so that a receiver's refusals can be tried. */
import { isRecord } from '../../lib/objects.ts'
import { signingKeys, type SigningKeys } from './keys.ts'
import { bodyBytes, type CallbackRequest, type SignatureHeaders } from './profile.ts'
import { headersOf, sign, type SignatureSettings } from './profiles/profiles.ts'
import { deriveSecret } from './secrets.ts'

/** The outgoing request. */
export interface SignedCallback {
  /** The headers of the signature; `content-type` and `content-length` are the sender's. */
  readonly headers: SignatureHeaders
  /** The whole body; `content-length` is its length. */
  readonly body: Buffer
  /** Bytes to write before the connection is cut, or null for all. */
  readonly cutAt: number | null
}

/** The input of a fault. */
export interface SigningRequest {
  readonly request: CallbackRequest
  readonly signatures: readonly SignatureSettings[]
  readonly keys: SigningKeys
}

/** Seconds. The verifiers allow 300 either way; a future one comes nearer on its way, so it starts well beyond. */
const STALE_BY = 301
const FUTURE_BY = 600

/** The good callback. */
export function signed({ request, signatures, keys }: SigningRequest): SignedCallback {
  return { headers: sign(request, signatures, keys), body: bodyBytes(request.body), cutAt: null }
}

/** Changes the body after signing. JSON stays valid, so that only the signature reveals it. */
export function tampered(signing: SigningRequest): SignedCallback {
  const good = signed(signing)
  return { ...good, body: tamper(good.body) }
}

function wrongSecret({ request, signatures, keys }: SigningRequest): SignedCallback {
  return signed({ request, signatures, keys: signingKeys([deriveSecret(keys.newest, 'nobody')]) })
}

/** Rightly signed, 301 seconds ago. */
export function stale(signing: SigningRequest): SignedCallback {
  return signed(movedBy(-STALE_BY, signing))
}

/** Rightly signed, 600 seconds from now. */
export function future(signing: SigningRequest): SignedCallback {
  return signed(movedBy(FUTURE_BY, signing))
}

/** None of the signature's headers. */
export function unsigned(signing: SigningRequest): SignedCallback {
  return { ...signed(signing), headers: {} }
}

/** Every signature cut to half its length: a receiver that compares in constant time must not break on it. */
function malformedSignature(signing: SigningRequest): SignedCallback {
  const good = signed(signing)
  const headers = { ...good.headers }
  for (const settings of signing.signatures) {
    const [name] = headersOf(settings)
    if (name !== undefined) headers[name] = halve(headers[name] ?? '')
  }
  return { ...good, headers }
}

/** `content-length` promises the whole body, half of it comes. */
function truncatedBody(signing: SigningRequest): SignedCallback {
  const good = signed(signing)
  return { ...good, cutAt: Math.floor(good.body.length / 2) }
}

/**
 * The same JSON, otherwise written and rightly signed: fields in another order, text in escapes, numbers with an exponent. It
 * must be accepted.
 */
export function reformatted({ request, ...rest }: SigningRequest): SignedCallback {
  return signed({ request: { ...request, body: otherForm(request.body) }, ...rest })
}

/** Puts a signature by another secret before the valid one, as during a rotation. Receivers must accept it. */
function secondSignature({ request, signatures, keys }: SigningRequest): SignedCallback {
  const other = deriveSecret(keys.newest, 'nobody')
  return signed({
    request,
    signatures,
    keys: { ...signingKeys([keys.newest]), secrets: [other, keys.newest] },
  })
}

/** By the names scenario files and `Prefer: callback=` use. */
export const SIGNATURE_FAULTS = {
  tampered,
  'wrong-secret': wrongSecret,
  stale,
  future,
  unsigned,
  'malformed-signature': malformedSignature,
  'truncated-body': truncatedBody,
  reformatted,
  'second-signature': secondSignature,
} as const satisfies Record<string, (signing: SigningRequest) => SignedCallback>

function movedBy(seconds: number, { request, signatures, keys }: SigningRequest): SigningRequest {
  return { request: { ...request, timestampSeconds: request.timestampSeconds + seconds }, signatures, keys }
}

/** A greater amount where there is one, else one more field, else one more byte. */
function tamper(body: Buffer): Buffer {
  const text = body.toString('utf8')
  const dearer = text.replace(/"amount"\s*:\s*(?=\d)/i, (field) => `${field}9`)
  if (dearer !== text) return Buffer.from(dearer, 'utf8')
  if (/^\s*\{\s*"/.test(text)) return Buffer.from(text.replace('{', '{"tampered":true,'), 'utf8')
  return Buffer.concat([body, Buffer.from('!')])
}

/** Leaves other texts than JSON unchanged. */
function otherForm(body: string | Buffer): string {
  const text = body.toString()
  try {
    return written(JSON.parse(text))
  } catch {
    return text
  }
}

/** Unusual JSON that every parser accepts. */
function written(value: unknown): string {
  if (typeof value === 'number') return value.toExponential()
  if (typeof value === 'string') return escaped(value)
  if (Array.isArray(value)) return `[ ${value.map(written).join(' , ')} ]`
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = Object.entries(value).toReversed()
  return `{ ${fields.map(([name, each]) => `${escaped(name)} : ${written(each)}`).join(' ,\n ')} }`
}

const escaped = (text: string) => {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

/** Halves each run that can be an encoded signature; the rest of the value keeps its form. */
function halve(value: string): string {
  const cut = value.replace(/[A-Za-z0-9+/_-]{16,}={0,2}/g, (run) => run.slice(0, run.length >> 1))
  return cut === value ? value.slice(0, value.length >> 1) : cut
}
