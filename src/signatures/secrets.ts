/** The signing secret of a world: one string, `whsec_` and the base64 of 24 to 64 bytes, for every HMAC profile. */
import { createHmac } from 'node:crypto'

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
