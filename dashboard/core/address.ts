/** The location of a window: `#/world/page/thing?name=value`. It never contains secrets. */

export interface Route {
  readonly world: string | undefined
  readonly page: string
  readonly thing: string | undefined
  readonly query: { readonly [name: string]: string }
}

/** @param hash - such as `#/demo/tx/order-7?tab=callback`; missing and invalid parts are ignored */
export function readAddress(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [world, page, ...thing] = path.split('/').map(decoded)
  return {
    world: world || undefined,
    page: !page || page === 'live' ? 'home' : page,
    thing: thing.join('/') || undefined,
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function writeAddress({
  world = '',
  page,
  thing,
  query = {},
}: Partial<Route> & { page: string }): string {
  const path = [world, page, ...(thing === undefined ? [] : [thing])].map(encodeURIComponent).join('/')
  const text = new URLSearchParams(query).toString()
  return `#/${path.replaceAll('%2B', '+')}${text && `?${text}`}`
}

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
