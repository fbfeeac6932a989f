/** What a sandbox signs reports with, so that others can tell that they are its own. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { lazy } from '../../lib/lazy.ts'

export interface ReportKey {
  readonly jwk: () => Ed25519Jwk
  /** Those that are published: that one first, and older ones whose reports are out there. */
  readonly jwks: () => readonly Ed25519Jwk[]
  readonly sign: (text: string) => Jws
}

/** Tells signatures of reports from whatever else a key may sign (RFC 8725, section 3.11). */
export const REPORT_TYPE = 'certification+json'

/** Where a sandbox publishes its key. */
export const KEY_SET_PATH = '/.well-known/jwks.json'

/**
 * @param text PKCS #8 of an Ed25519 private key in base64, and after a blank each the public halves of older ones; null where there is
 *   none
 */
export function reportKey(text: string | null): ReportKey | undefined {
  if (text === null) return undefined
  const [der = '', ...older] = text.split(' ')
  const key = lazy(() => createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' }))
  const jwk = lazy(() => jwkOf(key()))
  const ofOlder = (spki: string) =>
    jwkOf(createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' }))
  const jwks = lazy(() => [jwk(), ...older.map(ofOlder)])
  return { jwk, jwks, sign: (text) => signJws(text, key(), { kid: jwk().kid, typ: REPORT_TYPE }) }
}

/** The flattened form: all three in base64url. */
export interface Jws {
  readonly protected: string
  readonly payload: string
  readonly signature: string
}

/** What is signed: the ASCII of both parts (RFC 7515, section 5.1). */
const signed = (head: string, payload: string) => Buffer.from(`${head}.${payload}`)

/** @param header what is said of the signature beside `alg` */
export function signJws(text: string, key: KeyObject, header: { readonly [name: string]: string }): Jws {
  const head = Buffer.from(JSON.stringify({ alg: 'EdDSA', ...header })).toString('base64url')
  const payload = Buffer.from(text).toString('base64url')
  return {
    protected: head,
    payload,
    signature: sign(null, signed(head, payload), key).toString('base64url'),
  }
}

/** Whether the key made the signature. Whoever asks has looked at the header. */
export const jwsHolds = (jws: Jws, key: KeyObject): boolean =>
  verify(null, signed(jws.protected, jws.payload), key, Buffer.from(jws.signature, 'base64url'))

/** A public key as a JWK with `kid`, `alg` and `use`, ready for a key set. */
export type Ed25519Jwk = Readonly<Record<'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use', string>>

/** @param key public or private. Its `kid` is the thumbprint (RFC 7638). */
export function jwkOf(key: KeyObject): Ed25519Jwk {
  const given = key.type === 'private' ? createPublicKey(key) : key
  const { x = '' } = given.export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
  return { kty: 'OKP', crv: 'Ed25519', x, kid: kid.digest('base64url'), alg: 'EdDSA', use: 'sig' }
}
