/**
 * A link with a read-only key. The key is in the fragment, which browsers do not send, and is removed from
 * the address at once.
 */
import { type Route, writeAddress } from './address.ts'

interface Key {
  readonly username: string
  readonly password: string
}

/** The parameter of the key. */
export const SHARED = 'k'

/** The fragment of a shared link. */
export const sharedAddress = (to: Partial<Route> & { page: string }, key: Key): string =>
  writeAddress({ ...to, query: { ...to.query, [SHARED]: keyText(key) } })

function keyText({ username, password }: Key): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`)
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @returns undefined if the link is incomplete */
export function readKey(text: string): Key | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    )
    const [, username, password] =
      /^([^:]+):(.+)$/s.exec(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? []
    return username && password ? { username, password } : undefined
  } catch {
    return undefined
  }
}
