/** HTTP Message Signatures (RFC 9421) with ECDSA P-256, in the form pawaPay uses. */
import { createHash, sign, createPublicKey, verify } from 'node:crypto'
import { type SigningKeyPair, type SigningKeys, deriveKeyPair } from '../secrets.ts'
import { type CallbackRequest, type SignatureHeaders, type SignatureProfile, bodyBytes } from '../profile.ts'
import { otherBodies } from '../doctor/bodies.ts'
import {
  diagnose,
  headerOf,
  missingHeaders,
  mistake,
  type CheckInput,
  type Diagnosis,
  type Mistake,
} from '../doctor/diagnosis.ts'
import { isUrl } from '../../../lib/text/is-url.ts'

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

/** Forms of an ECDSA signature, with their names in Node.js. */
const ENCODINGS = { raw: 'ieee-p1363', der: 'der' } as const

/** `raw` is r‖s, as the RFC requires; some receivers expect `der`. */
type SignatureForm = keyof typeof ENCODINGS

/** Diagnoses the signature of a request, or returns null without such a signature. */
function checkRfc9421(input: CheckInput, form: SignatureForm): Diagnosis | null {
  const [signature, parameters] = [headerOf(input, 'Signature'), headerOf(input, 'Signature-Input')]
  if (signature === null && parameters === null) return null
  const received = signature === null ? null : { header: 'Signature', value: signature }
  const stop = (mistakes: Mistake[]) => diagnose('rfc9421', mistakes, { received })

  const lacking = ['Signature', 'Signature-Input', 'Content-Digest'].filter(
    (name) => headerOf(input, name) === null,
  )
  if (lacking.length > 0) return stop(missingHeaders(lacking))
  const [, label, values] = /^([a-z*][a-z0-9_.*-]*)=(\(.*)$/.exec(parameters ?? '') ?? []
  if (label === undefined || values === undefined) {
    return stop([mistake('malformed-signature', 'Signature-Input is not label=("…" …);created=…;keyid="…"')])
  }
  const base = receivedBase(input, values)
  if (!Buffer.isBuffer(base)) return stop([base])

  const pair = deriveKeyPair(input.secret)
  const expected = `${label}=:${sign('sha256', base, { key: pair.privateKey, dsaEncoding: ENCODINGS[form] }).toString('base64')}:`
  const mistakes = [
    ...signatureMistakes(signature ?? '', label, values, base, pair, form),
    ...digestMistakes(input),
    ...timeMistakes(values, input.nowSeconds),
  ]
  return diagnose('rfc9421', mistakes, {
    received,
    expected: { header: 'Signature', value: expected },
    signed: base,
  })
}

function signatureMistakes(
  signature: string,
  label: string,
  values: string,
  base: Buffer,
  pair: SigningKeyPair,
  form: SignatureForm,
): Mistake[] {
  const encoded = new RegExp(`(?:^|,\\s*)${label.replace(/[.*]/g, '\\$&')}=:([A-Za-z0-9+/]+={0,2}):`).exec(
    signature,
  )?.[1]
  if (encoded === undefined) {
    return [mistake('malformed-signature', `Signature is not ${label}=:…: with base64 between the colons`)]
  }
  const bytes = Buffer.from(encoded, 'base64')
  const key = createPublicKey(pair.publicPem)
  const holds = (dsaEncoding: 'ieee-p1363' | 'der') => verify('sha256', base, { key, dsaEncoding }, bytes)
  if (holds(ENCODINGS[form])) return []
  const other = form === 'raw' ? 'der' : 'raw'
  if (holds(ENCODINGS[other])) {
    const words = { raw: 'raw r‖s (64 bytes, IEEE P1363)', der: 'DER' }
    return [mistake('wrong-encoding', `the signature is ${words[other]}: ${words[form]} is expected`)]
  }
  const keyid = /;keyid="([^"]*)"/.exec(values)?.[1]
  if (keyid !== pair.keyid) {
    return [mistake('wrong-secret', `keyid is "${keyid ?? ''}", the key of this secret is "${pair.keyid}"`)]
  }
  if (bytes.length !== 64 && bytes[0] !== 0x30) {
    return [
      mistake('malformed-signature', `the signature has ${bytes.length} bytes: 64 (raw) or DER are expected`),
    ]
  }
  return [
    mistake(
      'wrong-content',
      'the key is right and the signature is of other bytes than "signed" shows: compare method, host, path and headers with those that were sent',
    ),
  ]
}

function digestMistakes(input: CheckInput): Mistake[] {
  const given = headerOf(input, 'Content-Digest') ?? ''
  const [, name, value] = /(sha-512|sha-256)=:([^:]*):/.exec(given) ?? []
  if (name === undefined) {
    return [
      mistake('malformed-signature', 'Content-Digest is not sha-512=:…: with base64 between the colons'),
    ]
  }
  const digest = (body: Buffer | string) => createHash(name.replace('-', '')).update(body).digest('base64')
  if (digest(input.body) === value) return []
  const text = bodyBytes(input.body).toString('utf8')
  const other = otherBodies(text, input.sentBodies).find(({ body }) => digest(body) === value)
  return [
    other?.mistake ??
      mistake('body-changed', 'Content-Digest is of another body: it was changed, or cut short'),
  ]
}

function timeMistakes(values: string, nowSeconds: number): Mistake[] {
  const number = (name: string) => Number(new RegExp(`;${name}=(\\d+)`).exec(values)?.[1] ?? Number.NaN)
  const [created, expires] = [number('created'), number('expires')]
  if (created > 99_999_999_999)
    return [mistake('milliseconds', 'created is in milliseconds: write whole seconds')]
  if (expires < nowSeconds)
    return [mistake('stale', `the signature expired ${nowSeconds - expires} seconds ago`)]
  return created > nowSeconds ? [mistake('future', `created is ${created - nowSeconds} seconds ahead`)] : []
}

/** Returns the base of a received signature, or why it cannot be built. */
function receivedBase(input: CheckInput, values: string): Buffer | Mistake {
  const names = [...values.slice(0, values.indexOf(')')).matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '')
  if (names.some((name) => name.startsWith('@')) && !isUrl(input.url ?? '')) {
    return mistake('missing-input', 'give url (and method, unless POST): they are part of what is signed')
  }
  const lines: string[] = []
  for (const name of names) {
    const value = name.startsWith('@') ? derived(name, input) : (headerOf(input, name)?.trim() ?? null)
    if (value === null) return mistake('missing-header', `${name} is signed and is missing`)
    lines.push(`"${name}": ${value}`)
  }
  return Buffer.from([...lines, `"@signature-params": ${values}`].join('\n'), 'utf8')
}

function derived(name: string, { method = 'POST', url = '' }: CheckInput): string | null {
  const { host, pathname, search, protocol, href } = new URL(url)
  const values: Record<string, string> = {
    '@method': method.toUpperCase(),
    '@authority': host,
    '@path': pathname,
    '@query': search || '?',
    '@scheme': protocol.slice(0, -1),
    '@target-uri': href,
    '@request-target': `${pathname}${search}`,
  }
  return values[name] ?? null
}
