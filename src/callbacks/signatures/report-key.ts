/** What a sandbox signs reports with, so that others can tell that they are its own. */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { lazy } from '../../lib/lazy.ts'
import { type Ed25519Jwk, type Jws, jwkOf, signJws } from './jws.ts'

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
