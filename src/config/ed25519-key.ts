/** An Ed25519 private key as people have it in a setting. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** What stands in front of a key's 32 bytes in its PKCS #8 (RFC 8410). */
const BEFORE_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Keys that are published beside the one that signs. */
const MOST_OLDER = 10

/**
 * Its PKCS #8 in base64, and after a blank each that of the public half of an older key, where PEM has several one below another;
 * undefined for whatever is none.
 */
export function ed25519KeyOf(text: string): string | undefined {
  const [own, ...older] = keysIn(text.trim())
  if (!isEd25519(own) || own.type !== 'private' || older.length > MOST_OLDER || !older.every(isEd25519))
    return undefined
  const halves = older.map((key) => (key.type === 'private' ? createPublicKey(key) : key))
  return [
    own.export({ format: 'der', type: 'pkcs8' }),
    ...halves.map((key) => key.export({ format: 'der', type: 'spki' })),
  ]
    .map((der) => der.toString('base64'))
    .join(' ')
}

const isEd25519 = (key: KeyObject | undefined): key is KeyObject => key?.asymmetricKeyType === 'ed25519'

function keysIn(text: string): readonly (KeyObject | undefined)[] {
  if (isPem(text)) return ofPem(text)
  if (!/^[\w+/-]+={0,2}$/.test(text)) return []
  const bytes = Buffer.from(text, 'base64')
  const inner = bytes.toString('latin1')
  if (isPem(inner)) return ofPem(inner)
  const key = bytes.length === 32 ? Buffer.concat([BEFORE_SEED, bytes]) : bytes
  return [keyOf(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' }))]
}

const isPem = (text: string) => text.trimStart().startsWith('-----BEGIN')

const ofPem = (text: string) =>
  text
    .trim()
    .replaceAll('\\n', '\n')
    .split(/(?=-----BEGIN )/)
    .map((block) =>
      keyOf(() => (block.startsWith('-----BEGIN PUBLIC') ? createPublicKey(block) : createPrivateKey(block))),
    )

function keyOf(make: () => KeyObject): KeyObject | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
