/** Callbacks with one deliberate fault each, to test whether receivers reject them. */
import { isRecord } from '../../lib/objects.ts'
import { headersOf, signed, type SignedCallback, type SigningRequest } from './profiles/profiles.ts'
import { deriveSecret, signingKeys } from './secrets.ts'

/** Seconds. Verifiers accept 300 either way. A future timestamp comes closer in transit, so its margin is larger. */
const STALE_BY = 301
const FUTURE_BY = 600

/** Changes the body after signing. JSON stays valid, so that only the signature reveals it. */
function tampered(signing: SigningRequest): SignedCallback {
  const good = signed(signing)
  return { ...good, body: tamper(good.body) }
}

function wrongSecret({ keys, ...rest }: SigningRequest): SignedCallback {
  return signed({ ...rest, keys: signingKeys([deriveSecret(keys.newest, 'nobody')]) })
}

function stale(signing: SigningRequest): SignedCallback {
  return signed(movedBy(-STALE_BY, signing))
}

function future(signing: SigningRequest): SignedCallback {
  return signed(movedBy(FUTURE_BY, signing))
}

function unsigned(signing: SigningRequest): SignedCallback {
  return { ...signed(signing), headers: {} }
}

/** Cuts every signature to half its length: receivers that compare in constant time must not fail on that. */
function malformedSignature(signing: SigningRequest): SignedCallback {
  const good = signed(signing)
  const headers = { ...good.headers }
  for (const settings of signing.signatures) {
    const [name] = headersOf(settings)
    if (name !== undefined) headers[name] = halve(headers[name] ?? '')
  }
  return { ...good, headers }
}

/** Sends half of the body with the `content-length` of the whole. */
function truncatedBody(signing: SigningRequest): SignedCallback {
  const good = signed(signing)
  return { ...good, cutAt: Math.floor(good.body.length / 2) }
}

/** Signs the same JSON in another form: reordered fields, escaped text, numbers with an exponent. Receivers must accept it. */
function reformatted({ request, ...rest }: SigningRequest): SignedCallback {
  return signed({ request: { ...request, body: otherForm(request.body) }, ...rest })
}

/** Puts a signature by another secret before the valid one, as during a rotation. Receivers must accept it. */
function secondSignature({ keys, ...rest }: SigningRequest): SignedCallback {
  const other = deriveSecret(keys.newest, 'nobody')
  return signed({ ...rest, keys: { ...signingKeys([keys.newest]), secrets: [other, keys.newest] } })
}

/** By the names in scenario files and `Prefer: callback=`. */
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

function movedBy(seconds: number, { request, ...rest }: SigningRequest): SigningRequest {
  return { ...rest, request: { ...request, timestampSeconds: request.timestampSeconds + seconds } }
}

/** Increases the amount; without one adds a field, or else a byte. */
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
