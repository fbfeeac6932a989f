import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { ServiceError } from '../service/domain/errors.ts'
import { type CorsOrigins, type IsOurs, nameIn, oursBy, requireNamedOrigin } from './cross-origin.ts'
import { isForwarded } from './client-address.ts'
import { bearerIn, incomingOf, publicHostOf } from './caller.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { UNNAMED_TOKEN } from '../service/vocabulary/terms.ts'
import { urlOf } from '../lib/text/is-url.ts'

interface AdminGuardOptions {
  readonly mode: 'local' | 'hosted'
  readonly token: string | null
  /** Additional tokens with the names of their holders. */
  readonly named?: readonly NamedToken[]
  /** Defaults to names that no public name server can resolve. */
  readonly isOurs?: IsOurs
}

interface NamedToken {
  readonly name: string
  readonly token: string
}

/**
 * Authorizes a request to `/__admin`.
 * @returns the name of its token; undefined if no token is required
 * @throws {ServiceError} 401 or 403
 */
export type AdminGuard = (c: Context) => string | undefined

/**
 * Authorizes holders of the token. Without a token, local mode accepts requests from this machine, other modes all
 * requests. Pages of other origins and requests by foreign host names are always rejected.
 */
export const adminGuard = ({
  mode,
  token,
  named: others = [],
  isOurs = oursBy([]),
}: AdminGuardOptions): AdminGuard => {
  const tokens = token === null ? others : [{ name: UNNAMED_TOKEN, token }, ...others]
  const ways = `the value of SANDBOX_ADMIN_TOKEN${others.length > 0 ? ', or a token of SANDBOX_ADMIN_TOKENS' : ''}`
  return (c) => {
    refuseForeignOrigin(c)
    const bearer = bearerIn(c.req.header('authorization'))
    const named = bearer === undefined ? undefined : nameOf(bearer, tokens)
    if (named !== undefined) return named
    const open = mode === 'local' && (tokens.length === 0 || fromThisMachine(c))
    if (!open) throw new ServiceError('unauthenticated', `send Authorization: Bearer <${ways}>`)
    const host = hostOf(c)
    if (!isOurs(host))
      throw new ServiceError(
        'permission_denied',
        `/__admin is not served as ${host}; call it as localhost, or set SANDBOX_ADMIN_TOKEN and send it`,
      )
    return undefined
  }
}

/**
 * Prevents web pages from controlling a sandbox that runs on their reader's machine.
 * @param named - origins whose pages are allowed
 * @throws {ServiceError} 403
 */
export function refuseForeignOrigin(c: Context, named?: CorsOrigins): void {
  const referrer = c.req.header('referer')
  if (EMBEDDED.test(urlOf(referrer ?? '')?.pathname ?? ''))
    throw new ServiceError(
      'permission_denied',
      'the sandbox does not accept this request from an embedded page; open /docs in its own window',
    )
  if (!isForeign(c)) return
  if (named) return requireNamedOrigin(c, named)
  throw new ServiceError(
    'permission_denied',
    `the sandbox accepts this request only from its own pages and from programs, not from ${c.req.header('origin') ?? 'another site'}`,
  )
}

/**
 * Returns whether a browser sent the request for a page of another origin. Pages cannot set `Sec-Fetch-Site`, which is
 * correct even if `Origin` is `null`, as for forms of pages without a referrer. Browsers omit it over plain HTTP and
 * send `none` for requests of extensions: then `Origin` decides. Programs send neither.
 */
export function isForeign(c: Context): boolean {
  const site = c.req.header('sec-fetch-site') ?? 'none'
  if (site !== 'none') return site !== 'same-origin'
  const origin = c.req.header('origin')
  return origin !== undefined && !isOwn(c, origin)
}

/** Compares with the host of the request, or with the public host set by a trusted proxy or setting. */
const isOwn = (c: Context, origin: string): boolean =>
  hostIn(origin) === (c.req.header('host') ?? hostIn(c.req.url)) || hostIn(origin) === publicHostOf(c)

/** Pages that other sites may frame, so their readers may be tricked into clicks. */
const EMBEDDED = /\/docs\/embed(\/|$)/

const hostIn = (url: string) => urlOf(url)?.host

function hostOf(c: Context): string {
  return nameIn(c.req.header('host') ?? hostIn(c.req.url) ?? '')
}

function fromThisMachine(c: Context): boolean {
  const incoming = incomingOf(c)
  // Calls within the process have no connection.
  if (!incoming) return true
  // A proxy on this machine forwards requests of other machines.
  if (isForwarded((name) => c.req.header(name))) return false
  const address = incoming.socket.remoteAddress ?? ''
  return address === '::1' || address.replace(/^::ffff:/, '').startsWith('127.')
}

/** Compares with every token, so that the time taken reveals nothing. */
function nameOf(bearer: string, tokens: readonly NamedToken[]): string | undefined {
  let found: string | undefined
  for (const { name, token } of tokens) if (same(bearer, token)) found = name
  return found
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const same = (given: string, expected: string) => safeEqual(digest(given), digest(expected))
