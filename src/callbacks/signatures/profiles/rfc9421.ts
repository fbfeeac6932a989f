/** HTTP Message Signatures (RFC 9421) with ECDSA P-256, in the form pawaPay uses. */
import { createHash, sign } from 'node:crypto'
import { checkRfc9421, type SignatureForm } from '../doctor/rfc9421.ts'
import type { SigningKeyPair, SigningKeys } from '../secrets.ts'
import type { CallbackRequest, SignatureHeaders, SignatureProfile } from '../profile.ts'

const RFC9421_LABEL = 'sig-pp'
const RFC9421_COMPONENTS = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type',
] as const

/** How long a signature is valid, in seconds. */
const LIFETIME = 60

export interface Rfc9421Settings {
  readonly profile: 'rfc9421'
  readonly form: SignatureForm
}

export const rfc9421: SignatureProfile<Rfc9421Settings> = {
  name: 'rfc9421',
  about: {
    headers: '`Content-Digest`, `Signature-Date`, `Signature-Input`, `Signature`',
    signed: 'the signature base of the RFC',
    key: 'an EC P-256 key pair',
    form: 'base64 of raw r‖s, or of DER with `rfc9421:der`',
  },
  defaults: { profile: 'rfc9421', form: 'raw' },
  set: (form) => (form === 'raw' || form === 'der' ? { profile: 'rfc9421', form } : undefined),
  headers: () => ['Signature', 'Signature-Input', 'Signature-Date', 'Content-Digest'],
  sign: signed,
  check: (input, { form }) => checkRfc9421(input, form),
}

/** Signs with the newest secret's key, which receivers find by `keyid`. ECDSA signatures contain a random number. */
function signed(request: CallbackRequest, keys: SigningKeys, { form }: Rfc9421Settings): SignatureHeaders {
  const parameters = signatureParameters(request, keys.pair)
  const base = signatureBase(request, parameters)
  const signature = sign('sha256', base, {
    key: keys.pair.privateKey,
    dsaEncoding: form === 'der' ? 'der' : 'ieee-p1363',
  })
  return {
    'Content-Digest': contentDigest(request.body),
    'Signature-Date': signatureDate(request),
    'Signature-Input': `${RFC9421_LABEL}=${parameters}`,
    Signature: `${RFC9421_LABEL}=:${signature.toString('base64')}:`,
  }
}

function contentDigest(body: Buffer | string): string {
  return `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
}

function signatureDate(request: CallbackRequest): string {
  return new Date(request.timestampSeconds * 1000).toISOString()
}

/** Returns the value of `Signature-Input` after its label. */
function signatureParameters(
  { timestampSeconds }: CallbackRequest,
  { keyid }: Pick<SigningKeyPair, 'keyid'>,
): string {
  const components = RFC9421_COMPONENTS.map((name) => `"${name}"`).join(' ')
  return `(${components});alg="ecdsa-p256-sha256";keyid="${keyid}";created=${timestampSeconds};expires=${timestampSeconds + LIFETIME}`
}

/** Returns the signature base (RFC 9421 2.5). */
function signatureBase(request: CallbackRequest, parameters: string): Buffer {
  const { host, pathname } = new URL(request.url)
  const values: Record<(typeof RFC9421_COMPONENTS)[number], string> = {
    '@method': request.method.toUpperCase(),
    '@authority': host,
    '@path': pathname,
    'signature-date': signatureDate(request),
    'content-digest': contentDigest(request.body),
    'content-type': request.contentType,
  }
  const lines = RFC9421_COMPONENTS.map((name) => `"${name}": ${values[name]}`)
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n'), 'utf8')
}
