import { createHash, timingSafeEqual } from 'node:crypto'

/** Hex of the SHA-256, the form in which a password is kept. */
export const passwordHash = (password: string) => createHash('sha256').update(password).digest('hex')

/** Compares in a time that tells nothing of where they differ; against nothing, the answer is no. */
export function passwordMatches(password: string, kept: string | undefined): boolean {
  const given = Buffer.from(passwordHash(password))
  const same = timingSafeEqual(given, kept === undefined ? given : Buffer.from(kept))
  return same && kept !== undefined
}
