/** A link that lets whoever has it look. The key stands behind `#`, so no server is told it, and it is taken out of the address at once. */
import { type Route, writeAddress } from './address.ts'

interface Key {
  readonly username: string
  readonly password: string
}

/** The name of the key in the address. */
export const SHARED = 'k'

/** What the fragment of a shared link is. */
export const sharedAddress = (to: Partial<Route> & { page: string }, key: Key): string =>
  writeAddress({ ...to, query: { ...to.query, [SHARED]: keyText(key) } })

function keyText({ username, password }: Key): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`)
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @returns undefined for a text that is no key, as of a link of which a part is missing */
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
