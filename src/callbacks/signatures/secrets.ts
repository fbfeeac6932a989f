/** The signing secret of a world: one string, `whsec_` and the base64 of 24 to 64 bytes, for every HMAC profile. */
import { createHmac } from 'node:crypto'
import { boundedTime } from '../../lib/clock/bounds.ts'
import type { Look, Tx } from '../../service/domain/context.ts'
import { signingKeys, type SigningKeys } from './keys.ts'

const PREFIX = 'whsec_'

/** The secret of the `demo` world: public on purpose, so that a first callback can be verified without a set-up. */
export const DEMO_SIGNING_SECRET = `${PREFIX}${Buffer.from('payments-sandbox-demo-not-secret').toString('base64')}`

/**
 * A secret that every profile can use, unchanged.
 * @param secret what the user set
 * @param name where it was set; the message names it
 * @throws Error when it is not `whsec_` and the standard base64 of 24 to 64 bytes (Standard Webhooks 1.0.0)
 */
export function checkSecret(secret: string, name = 'SANDBOX_SIGNING_SECRET'): string {
  const wanted = `it must be whsec_ followed by the base64 of 24 to 64 bytes, for example ${DEMO_SIGNING_SECRET}`
  if (secret !== secret.trim()) throw new Error(`${name} begins or ends with white space: ${wanted}`)
  if (!secret.startsWith(PREFIX)) throw new Error(`${name} does not begin with whsec_: ${wanted}`)
  const encoded = secret.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) {
    throw new Error(`${name} is not standard base64 with padding after whsec_: ${wanted}`)
  }
  if (bytes.length < 24 || bytes.length > 64) throw new Error(`${name} has ${bytes.length} bytes: ${wanted}`)
  return secret
}

/** The key of `standard`: the bytes behind the base64. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
}

/**
 * The same secret for the same seed and name, and no way back from one to the other.
 * @param seed what only this process knows (its seed, or another secret)
 * @param name the world's name, or `{world}:{rotation}` for its next secret
 */
export function deriveSecret(seed: string, name: string): string {
  const bytes = createHmac('sha256', seed).update(`signing secret of ${name}`).digest()
  return `${PREFIX}${bytes.toString('base64')}`
}

/**
 * The first secret of a world: that of the default world is set or the documented one, the others follow from it.
 * @param world its name; with `:` and more behind it, a later secret of the world
 */
export type FirstSecret = (world: string) => string

/** Secrets of the operator and of the default world's owner in hosted mode. */
export interface HostedSecrets {
  readonly ownerPassword: string
  /** A secret that no caller of any world has. */
  readonly operator: string
}

/**
 * @param home the default world's name
 * @param set the secret of `SANDBOX_SIGNING_SECRET`, or null
 * @param own what else only this process knows: its API password; in hosted mode nothing follows from what is public
 * @throws Error when it is no secret
 */
export function firstSecrets(home: string, set: string | null, own: string | HostedSecrets): FirstSecret {
  const given = set === null ? null : checkSecret(set)
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

/** Secrets that are good now, newest first. */
export function secretsOf(look: Look, world: string, first: FirstSecret): readonly WorldSecret[] {
  const row = look.rows.get('state', STATE)
  const secrets = (row?.value as readonly WorldSecret[] | undefined) ?? [
    { secret: first(world), created_at: 0, valid_until: null },
  ]
  return secrets.filter(({ valid_until }) => valid_until === null || valid_until > look.now)
}

/**
 * Makes a new secret the newest; the one before stays good for `overlap` milliseconds.
 * @param secret the user's own, already checked; drawn from the newest when left out
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

/** Keys by their secrets; a key pair is costly to derive and the same ones sign again and again. */
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
