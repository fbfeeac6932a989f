/** What a sandbox signs reports with, so that others can tell that they are its own. */
import { createPrivateKey } from 'node:crypto'
import { lazy } from '../lazy.ts'
import { type Ed25519Jwk, type Jws, jwkOf, signJws } from './jws.ts'

export interface ReportKey {
  readonly jwk: () => Ed25519Jwk
  readonly sign: (text: string) => Jws
}

/** Tells signatures of reports from whatever else a key may sign (RFC 8725, section 3.11). */
export const REPORT_TYPE = 'certification+json'

/** Where a sandbox publishes its key. */
export const KEY_SET_PATH = '/.well-known/jwks.json'

/** @param der PKCS #8 of an Ed25519 private key, in base64; null where there is none */
export function reportKey(der: string | null): ReportKey | undefined {
  if (der === null) return undefined
  const key = lazy(() => createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' }))
  const jwk = lazy(() => jwkOf(key()))
  return { jwk, sign: (text) => signJws(text, key(), { kid: jwk().kid, typ: REPORT_TYPE }) }
}
