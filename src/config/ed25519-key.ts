import { createPrivateKey, type KeyObject } from 'node:crypto'

/** What stands in front of the 32 bytes of a key in PKCS #8 (RFC 8410). */
const BEFORE_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * An Ed25519 private key as PKCS #8 in base64, from PEM (its line breaks may be written `\n`), or from base64 of that, of PKCS #8 or of
 * the 32 bytes of the key; undefined when it is none.
 */
export function ed25519KeyOf(text: string): string | undefined {
  const found = isPem(text) ? ofPem(text) : ofBase64(text.trim())
  if (found?.asymmetricKeyType !== 'ed25519') return undefined
  return found.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

const isPem = (text: string) => text.trimStart().startsWith('-----BEGIN')

const ofPem = (text: string) => keyOf(() => createPrivateKey(text.trim().replaceAll('\\n', '\n')))

function ofBase64(text: string): KeyObject | undefined {
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  const inner = bytes.toString('latin1')
  if (isPem(inner)) return ofPem(inner)
  const key = bytes.length === 32 ? Buffer.concat([BEFORE_SEED, bytes]) : bytes
  return keyOf(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
}

function keyOf(make: () => KeyObject): KeyObject | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
