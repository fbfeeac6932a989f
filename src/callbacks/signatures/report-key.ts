import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { lazy } from '../../lib/lazy.ts'

export interface ReportKey {
  readonly jwk: () => Ed25519Jwk
  /** The published keys: this one and older ones. */
  readonly jwks: () => readonly Ed25519Jwk[]
  readonly sign: (text: string) => Jws
}

/** Distinguishes reports from other signed content (RFC 8725, section 3.11). */
export const REPORT_TYPE = 'certification+json'

export const KEY_SET_PATH = '/.well-known/jwks.json'

/** @param text - An Ed25519 private key as PKCS #8 in base64, followed by older public keys, separated by spaces. */
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

/** The flattened form, all parts in base64url. */
export interface Jws {
  readonly protected: string
  readonly payload: string
  readonly signature: string
}

/** The signing input (RFC 7515, section 5.1). */
const signed = (head: string, payload: string) => Buffer.from(`${head}.${payload}`)

/** @param header - The protected header without `alg`. */
export function signJws(text: string, key: KeyObject, header: { readonly [name: string]: string }): Jws {
  const head = Buffer.from(JSON.stringify({ alg: 'EdDSA', ...header })).toString('base64url')
  const payload = Buffer.from(text).toString('base64url')
  return {
    protected: head,
    payload,
    signature: sign(null, signed(head, payload), key).toString('base64url'),
  }
}

/** Verifies the signature. The caller must check the header. */
export const jwsHolds = (jws: Jws, key: KeyObject): boolean =>
  verify(null, signed(jws.protected, jws.payload), key, Buffer.from(jws.signature, 'base64url'))

type Ed25519Jwk = ReturnType<typeof jwkOf>

/** Returns the public part of a key as a JWK for a key set. Its `kid` is the thumbprint (RFC 7638). */
export function jwkOf(key: KeyObject) {
  const given = key.type === 'private' ? createPublicKey(key) : key
  const { x = '' } = given.export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
  return { kty: 'OKP', crv: 'Ed25519', x, kid: kid.digest('base64url'), alg: 'EdDSA', use: 'sig' }
}
