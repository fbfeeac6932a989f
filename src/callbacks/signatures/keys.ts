/** The signing keys of a world, derived once and used for every callback. */
import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

export interface SigningKeys {
  /** Newest first; more than one only while a rotation overlaps. */
  readonly secrets: readonly string[]
  readonly newest: string
  /** The key pair of the newest secret. */
  readonly pair: SigningKeyPair
}

/**
 * @param secrets newest first, at least one
 * @throws Error when there is none
 */
export function signingKeys(secrets: readonly string[]): SigningKeys {
  const newest = secrets[0]
  if (newest === undefined) throw new Error('secrets is empty: a world signs with at least one secret')
  let pair: SigningKeyPair | undefined
  return {
    secrets,
    newest,
    // Derived when first asked for: most worlds never use rfc9421.
    get pair() {
      return (pair ??= deriveKeyPair(newest))
    },
  }
}

/** The order of P-256; a private key is a number from 1 to one less. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

export interface SigningKeyPair {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyid: string
  readonly privateKey: KeyObject
  /** SubjectPublicKeyInfo, PEM. */
  readonly publicPem: string
  /** The public key as a JWK with `kid`, `alg` and `use`, ready for a key set. */
  readonly publicJwk: Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'alg' | 'use', string>>
}

/** The P-256 key pair of a secret, the same each time: it outlives a restart without being stored. */
export function deriveKeyPair(secret: string): SigningKeyPair {
  const wide = Buffer.from(hkdfSync('sha256', secret, '', 'rfc9421 ecdsa-p256-sha256', 48))
  const scalar = (BigInt(`0x${wide.toString('hex')}`) % (ORDER - 1n)) + 1n
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(scalar.toString(16).padStart(64, '0'), 'hex')
  const point = ecdh.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').toString('base64url')
  const privateKey = createPrivateKey({ key: { ...jwk, d }, format: 'jwk' })
  const keyid = createHash('sha256')
    .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
    .digest('base64url')
  return {
    keyid,
    privateKey,
    publicPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    publicJwk: { ...jwk, kid: keyid, alg: 'ES256', use: 'sig' },
  }
}
