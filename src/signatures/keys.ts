/** What a world signs with, made once and used for every callback. */
import { deriveKeyPair, type SigningKeyPair } from './key-pair.ts'

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
