import type { Context } from 'hono'
import { ServiceError } from '../domain/errors.ts'
import type { Known, Worlds } from '../worlds/worlds.ts'
import type { CallerLimits } from './caller-limits.ts'
import { headerOf } from './header-in.ts'

const BASIC = /^basic +([\w+/]+={0,2}) *$/i

/**
 * The world and user behind an `Authorization` header (specification 5).
 * @throws ServiceError `unauthenticated`, the same for whatever is wrong with the credentials
 */
export async function authenticate(worlds: Worlds, header: string | undefined): Promise<Known> {
  const credentials = header === undefined ? undefined : readBasic(header)
  const known = credentials && (await worlds.authenticate(credentials.username, credentials.password))
  if (known) return known
  // The same whether or not there is such a world.
  const disposable = credentials?.username.includes('+')
    ? '; a world of the form name+anything begins with the first request of its owner'
    : ''
  throw new ServiceError(
    'unauthenticated',
    `missing or invalid credentials: send Authorization: Basic base64(API_USERNAME:API_PASSWORD)${disposable}`,
  )
}

/** The same for a request, guesses counted. @throws ServiceError 401, or 429 after too many of them */
export async function authenticateCaller(c: Context, worlds: Worlds, callers: CallerLimits): Promise<Known> {
  callers.requireTrust(c)
  try {
    return await authenticate(worlds, headerOf(c, 'authorization'))
  } catch (error) {
    callers.failed(c)
    throw error
  }
}

/** The same at once when they are known already; undefined: `authenticate` tells. */
export function recognize(worlds: Worlds, header: string | undefined): Known | undefined {
  const credentials = header === undefined ? undefined : readBasic(header)
  return credentials && worlds.recognize(credentials.username, credentials.password)
}

/** The user name ends at the first colon; the password may have more (RFC 7617). */
export function readBasic(header: string): { username: string; password: string } | undefined {
  const encoded = BASIC.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
