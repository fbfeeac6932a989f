/** Checks an RFC 9421 signature with the key derived from the secret. */
import { createHash, createPublicKey, sign, verify } from 'node:crypto'
import { deriveKeyPair, type SigningKeyPair } from '../secrets.ts'
import { bodyBytes } from '../profile.ts'
import { otherBodies } from './bodies.ts'
import {
  diagnose,
  headerOf,
  missingHeaders,
  mistake,
  type CheckInput,
  type Diagnosis,
  type Mistake,
} from './diagnosis.ts'
import { isUrl } from '../../../lib/text/is-url.ts'

/** Forms of an ECDSA signature, with their names in Node.js. */
const ENCODINGS = { raw: 'ieee-p1363', der: 'der' } as const

/** `raw` is r‖s, as the RFC requires; some receivers expect `der`. */
export type SignatureForm = keyof typeof ENCODINGS

/** Diagnoses the signature of a request, or returns null without such a signature. */
export function checkRfc9421(input: CheckInput, form: SignatureForm): Diagnosis | null {
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
  const base = signatureBase(input, values)
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

/** Returns the signature base of a request's components, or why it cannot be built. */
function signatureBase(input: CheckInput, values: string): Buffer | Mistake {
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
