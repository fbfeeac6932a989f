import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { jwkOf, type Jws, jwsHolds, REPORT_TYPE } from '../callbacks/signatures/report-key.ts'
import { shown } from '../lib/text/shown.ts'
import type { Certification } from './certification.ts'
import { summaryOf } from './results.ts'
import { certificationSchema } from './schema.ts'

export class UnreadableReport extends Error {
  override readonly name = 'UnreadableReport'
}

export interface ReadReport {
  readonly certification: Certification
  /** Undefined for an unsigned report. */
  readonly jws?: Jws
  /** How the unsigned fields next to the payload contradict it. */
  readonly altered?: string | undefined
  /** The header, or undefined for an unsigned report. */
  readonly header?: Readonly<Record<string, unknown>>
}

/**
 * @param allowsPlain - Whether to accept an unsigned certification as `certify` prints it, too.
 * @throws {UnreadableReport} With the reason.
 */
export function readReport(text: string, allowsPlain = false): ReadReport {
  const report = objectIn(text, 'it is not JSON')
  if (report['certification'] !== 1 || report['payload'] !== undefined) return signedReport(report)
  if (allowsPlain) return { certification: report as unknown as Certification }
  throw new UnreadableReport(
    'it is an unsigned certification as `certify` prints it; create a signed report with POST /sandbox/certifications',
  )
}

function signedReport(report: Readonly<Record<string, unknown>>): ReadReport {
  const { payload, protected: head = null, signature = null, signatures } = report
  if (signatures !== undefined)
    throw new UnreadableReport('it has a list of signatures; a report has one, in protected and signature')
  if (typeof payload !== 'string')
    throw new UnreadableReport(
      'it has no payload: it is neither a report from POST /sandbox/certifications nor the output of certify --report json=…',
    )
  const certification = certificationIn(payload)
  const altered = alteredField(report, certification)
  if (head === null && signature === null) return { certification, altered }
  if (typeof head !== 'string' || typeof signature !== 'string')
    throw new UnreadableReport('protected and signature must both be text or both be absent')
  const header = objectIn(textIn(head, 'protected'), 'its header (protected) is not JSON')
  textIn(signature, 'signature')
  return { certification, altered, jws: { protected: head, payload, signature }, header }
}

/** Returns the first field next to the payload that does not repeat it, since these fields are unsigned. */
function alteredField(
  report: Readonly<Record<string, unknown>>,
  certification: Certification,
): string | undefined {
  const { subject, summary, ended_at, plan, witness, expires_at } = certification
  const signed: Readonly<Record<string, unknown>> = {
    subject,
    issued_at: ended_at,
    standing: summary.standing,
    ready: summary.ready,
    text: summary.text,
    score: summary.score,
    plan: plan?.name ?? null,
    witnessed: witness !== null && witness !== undefined,
    expires_at: expires_at ?? null,
  }
  const found = Object.entries(signed).find(
    ([field, value]) => report[field] !== undefined && report[field] !== value,
  )
  if (!found) return undefined
  const [field, value] = found
  return `The report was changed: ${field} is ${shown(report[field])} next to the payload, and ${shown(value)} in it.`
}

function certificationIn(payload: string): Certification {
  const found = objectIn(textIn(payload, 'payload'), 'its payload is not JSON')
  if (!certificationSchema().safeParse(found).success)
    throw new UnreadableReport('its payload is not a valid certification (certification: 1)')
  return found as unknown as Certification
}

/**
 * Validates a certification and the consistency of its summary.
 * @throws {UnreadableReport} With the invalid field.
 */
export function wholeCertification(given: unknown): Certification {
  const { data, error } = certificationSchema().safeParse(given)
  if (!data) {
    const [issue] = error.issues
    const place = issue?.path.join('.') ?? ''
    throw new UnreadableReport(`it is not a valid certification: ${place || 'it'}: ${issue?.message}`)
  }
  if (!isDeepStrictEqual(summaryOf(data.checks, data.plan?.checks), data.summary))
    throw new UnreadableReport('its summary says something else than its checks')
  return data
}

function objectIn(text: string, otherwise: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnreadableReport(otherwise)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableReport(`${otherwise} with fields`)
  return value as Readonly<Record<string, unknown>>
}

/** Decodes strictly, since lenient decoding is ambiguous. */
function textIn(encoded: string, field: string): string {
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.toString('base64url') !== encoded)
    throw new UnreadableReport(`its ${field} is not base64url without padding`)
  return bytes.toString()
}

export interface PublishedKey {
  readonly kid: string
  readonly key: KeyObject
}

/** Returns the Ed25519 keys of a key set, a JWK or a PEM. @throws {UnreadableReport} If it contains none. */
export function readKeys(text: string): readonly PublishedKey[] {
  const found = text.trimStart().startsWith('-----BEGIN') ? [publicKey(text)] : jwksIn(text).map(publicKey)
  const keys = found.filter((key) => key?.asymmetricKeyType === 'ed25519')
  if (keys.length > 0) return keys.map((key) => ({ kid: jwkOf(key!).kid, key: key! }))
  throw new UnreadableReport(
    'it contains no Ed25519 public key; pass a key set, a JWK or PEM with one (a sandbox without SANDBOX_CERTIFICATION_KEY publishes none)',
  )
}

function jwksIn(text: string): readonly object[] {
  const value = objectIn(text, 'it is neither a key set, nor a JWK, nor PEM')
  const { keys } = value
  const all = Array.isArray(keys) ? keys.slice(0, 100) : [value]
  return all.filter((each) => typeof each === 'object' && each !== null)
}

function publicKey(given: object | string): KeyObject | undefined {
  try {
    return typeof given === 'string'
      ? createPublicKey(given)
      : createPublicKey({ key: given as JsonWebKey, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Returns why the signature is invalid, or undefined if it is valid. */
export function faultOf(
  { jws, header, altered }: ReadReport,
  keys: readonly PublishedKey[],
): string | undefined {
  if (!jws || !header) return 'It is unsigned: anyone may have changed it.'
  const { alg, kid, typ, crit } = header
  if (alg !== 'EdDSA') return `Its header has the algorithm ${shown(alg)}; reports are signed with EdDSA.`
  if (typ !== REPORT_TYPE) return `Its header is not that of a report (typ ${shown(typ)}).`
  if (crit !== undefined) return 'Its header requires an extension (crit), and reports have none.'
  const named = keys.find((each) => each.kid === kid)
  if (!named)
    return `It is signed with the key ${shown(kid)}, which is not among ${keys.map((each) => each.kid).join(', ')}.`
  return jwsHolds(jws, named.key)
    ? altered
    : 'The signature is invalid: the report was changed after signing, or was signed with another key.'
}

/** A verified signature. Only `of` creates one, so that no code can claim a verification that did not happen. */
export class CheckedSignature {
  readonly certification: Certification
  readonly key_id: string
  /** The source of the key: a file or an address. */
  readonly from: string
  /** The time of the verification, milliseconds. */
  readonly at: number

  private constructor(certification: Certification, key_id: string, from: string, at: number) {
    this.certification = certification
    this.key_id = key_id
    this.from = from
    this.at = at
  }

  /** @returns the verified signature, or why it is invalid */
  static of(
    report: ReadReport,
    keys: readonly PublishedKey[],
    from: string,
    at: number,
  ): CheckedSignature | string {
    return (
      faultOf(report, keys) ??
      new CheckedSignature(report.certification, String(report.header?.['kid']), from, at)
    )
  }
}
