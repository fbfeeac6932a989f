/** The signing secrets of a world (`whsec_` and the base64 of 24 to 64 bytes) and the key pairs derived from them. */
import {
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { boundedTime } from '../../lib/clock/clock.ts'
import type { Look, Tx } from '../../service/domain/context.ts'

const PREFIX = 'whsec_'

/** The public secret of the `demo` world, so that a first callback can be verified without setup. */
export const DEMO_SIGNING_SECRET = `${PREFIX}${Buffer.from('payments-sandbox-demo-not-secret').toString('base64')}`

/**
 * Returns the secret if every profile can use it.
 * @param name - The setting, for the message.
 * @throws Error if it is not `whsec_` and the standard base64 of 24 to 64 bytes (Standard Webhooks 1.0.0)
 */
export function checkSecret(secret: string, name = 'SANDBOX_SIGNING_SECRET'): string {
  const expected = `it must be whsec_ followed by the base64 of 24 to 64 bytes, for example ${DEMO_SIGNING_SECRET}`
  if (secret !== secret.trim()) throw new Error(`${name} begins or ends with white space: ${expected}`)
  if (!secret.startsWith(PREFIX)) throw new Error(`${name} does not begin with whsec_: ${expected}`)
  const encoded = secret.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) {
    throw new Error(`${name} is not standard base64 with padding after whsec_: ${expected}`)
  }
  if (bytes.length < 24 || bytes.length > 64)
    throw new Error(`${name} has ${bytes.length} bytes: ${expected}`)
  return secret
}

/** Returns the key of the profile `standard`: the decoded bytes. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
}

/**
 * Derives a secret from a seed and a name.
 * @param seed - A value that only this process knows.
 * @param name - The world's name, or `{world}:{rotation}` for a later secret.
 */
export function deriveSecret(seed: string, name: string): string {
  const bytes = createHmac('sha256', seed).update(`signing secret of ${name}`).digest()
  return `${PREFIX}${bytes.toString('base64')}`
}

/**
 * Returns the first secret of a world. The secrets of all worlds derive from that of the default world, which is configured or
 * public.
 * @param world - The name, with `:` and more for a later secret of the world.
 */
export type FirstSecret = (world: string) => string

/**
 * @param home - The default world's name.
 * @param configured - The secret of `SANDBOX_SIGNING_SECRET`, or null.
 * @param own - The API password; in hosted mode the operator's secret as well, because nothing may derive from public values.
 * @throws Error if the configured secret is invalid
 */
export function firstSecrets(
  home: string,
  configured: string | null,
  own: string | { readonly ownerPassword: string; readonly operator: string },
): FirstSecret {
  const given = configured === null ? null : checkSecret(configured)
  const hosted = typeof own === 'object'
  const ours = hosted ? `${own.operator}\0${own.ownerPassword}` : own
  const secret = given ?? (hosted ? deriveSecret(ours, home) : DEMO_SIGNING_SECRET)
  return (world) => (world === home ? secret : deriveSecret(`${secret}\0${ours}`, world))
}

export interface WorldSecret {
  readonly secret: string
  readonly created_at: number
  /** The end of its use in milliseconds of the world's clock, or null for the newest. */
  readonly valid_until: number | null
}

const STATE = 'signing-secrets'

/** Returns the currently valid secrets, newest first. */
export function secretsOf(look: Look, world: string, first: FirstSecret): readonly WorldSecret[] {
  const row = look.rows.get('state', STATE)
  const secrets = (row?.value as readonly WorldSecret[] | undefined) ?? [
    { secret: first(world), created_at: 0, valid_until: null },
  ]
  return secrets.filter(({ valid_until }) => valid_until === null || valid_until > look.now)
}

/**
 * Replaces the newest secret. The previous ones stay valid for `overlap` milliseconds.
 * @param secret - A checked secret; by default derived from the newest.
 */
export function rotate(
  tx: Tx,
  world: string,
  first: FirstSecret,
  overlap: number,
  secret?: string,
): readonly WorldSecret[] {
  const before = secretsOf(tx, world, first)
  const newest = before[0]!
  const made = secret ?? first(`${world}:${tx.now}:${newest.secret}`)
  if (made === newest.secret) return before
  const after: WorldSecret[] = [{ secret: made, created_at: tx.now, valid_until: null }]
  if (overlap > 0) {
    const valid_until = boundedTime(tx.now + overlap)
    for (const old of before)
      if (old.secret !== made)
        after.push({ ...old, valid_until: Math.min(old.valid_until ?? valid_until, valid_until) })
  }
  tx.rows.put('state', { name: STATE, value: after })
  return after
}

/** A cache by secrets, because key pairs are expensive to derive. */
const made = new Map<string, SigningKeys>()
const MOST_MADE = 1_000

export function keysOf(secrets: readonly WorldSecret[]): SigningKeys {
  const texts = secrets.map(({ secret }) => secret)
  const name = texts.join(' ')
  let keys = made.get(name)
  if (!keys) {
    if (made.size >= MOST_MADE) made.clear()
    made.set(name, (keys = signingKeys(texts)))
  }
  return keys
}

export interface SigningKeys {
  /** Newest first; several while a rotation overlaps. */
  readonly secrets: readonly string[]
  readonly newest: string
  /** The key pair of the newest secret. */
  readonly pair: SigningKeyPair
}

/** @param secrets - Newest first, at least one. */
export function signingKeys(secrets: readonly string[]): SigningKeys {
  const newest = secrets[0]
  if (newest === undefined) throw new Error('secrets is empty: a world signs with at least one secret')
  let pair: SigningKeyPair | undefined
  return {
    secrets,
    newest,
    // Derived when first used: most worlds never use rfc9421.
    get pair() {
      return (pair ??= deriveKeyPair(newest))
    },
  }
}

/** The order of P-256. Private keys are numbers from 1 to ORDER - 1. */
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

/** Derives a P-256 key pair from a secret, so that it survives restarts without being stored. */
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
