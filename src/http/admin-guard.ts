import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { ServiceError } from '../service/domain/errors.ts'
import { type CorsOrigins, type IsOurs, nameIn, oursBy, requireNamedOrigin } from './cross-origin.ts'
import { isForwarded } from './client-address.ts'
import { bearerIn, publicHostOf } from './origin.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { UNNAMED_TOKEN } from '../service/vocabulary/terms.ts'
import { isUrl } from '../lib/text/is-url.ts'

interface AdminGuardOptions {
  readonly mode: 'local' | 'hosted'
  readonly token: string | null
  /** More of them, and whose each is. */
  readonly named?: readonly NamedToken[]
  /** Which names are the sandbox's own; those that no stranger answers for when left out. */
  readonly isOurs?: IsOurs
}

interface NamedToken {
  readonly name: string
  readonly token: string
}

/** Lets a request to `/__admin` pass. @returns the name of its token; undefined where none was needed @throws ServiceError 401 or 403 */
export type AdminGuard = (c: Context) => string | undefined

/**
 * Who may steer the process: whoever has the token; and without one, in local mode, the machine itself, or
 * everybody when no token is set. A page of another origin never may, nor one that reached us by a name of its own.
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
 * A web page must not steer a sandbox that its reader happens to run.
 * @param named pages that may, where some may
 * @throws ServiceError 403
 */
export function refuseForeignOrigin(c: Context, named?: CorsOrigins): void {
  const referrer = c.req.header('referer')
  if (referrer !== undefined && isUrl(referrer) && EMBEDDED.test(new URL(referrer).pathname))
    throw new ServiceError(
      'permission_denied',
      'the sandbox does not take this from an embedded page; open /docs in a window of its own',
    )
  if (!isForeign(c)) return
  if (named) return requireNamedOrigin(c, named)
  throw new ServiceError(
    'permission_denied',
    `the sandbox takes this from its own pages and from programs, not from ${c.req.header('origin') ?? 'another site'}`,
  )
}

/**
 * Returns whether a browser sent the request for a page of another origin. `Sec-Fetch-Site` decides where the browser sends it: no page
 * can set it, and it is right where `Origin` is `null`, as for forms of pages without a referrer. Browsers omit it over plain HTTP, and
 * send `none` for what no page started, such as an extension: there `Origin` decides. Programs send neither.
 */
export function isForeign(c: Context): boolean {
  const site = c.req.header('sec-fetch-site') ?? 'none'
  if (site !== 'none') return site !== 'same-origin'
  const origin = c.req.header('origin')
  return origin !== undefined && !isOwn(c, origin)
}

/** The host is that of the request, or the one by which a proxy that is trusted, or a setting, says that browsers know us. */
const isOwn = (c: Context, origin: string): boolean =>
  hostIn(origin) === (c.req.header('host') ?? hostIn(c.req.url)) || hostIn(origin) === publicHostOf(c)

/** Pages that other sites may frame, whose readers may be lured into clicks. */
const EMBEDDED = /\/docs\/embed(\/|$)/

const hostIn = (url: string) => (isUrl(url) ? new URL(url).host : undefined)

/** The name that the client used, without the port. */
function hostOf(c: Context): string {
  return nameIn(c.req.header('host') ?? hostIn(c.req.url) ?? '')
}

function fromThisMachine(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  // Without a connection the request was made in this very process.
  if (!incoming) return true
  // A proxy on this machine passes on what others ask.
  if (isForwarded((name) => c.req.header(name))) return false
  const address = incoming.socket.remoteAddress ?? ''
  return address === '::1' || address.replace(/^::ffff:/, '').startsWith('127.')
}

/** Compared with each, whichever fits: how long it takes tells nothing of which. */
function nameOf(bearer: string, tokens: readonly NamedToken[]): string | undefined {
  let found: string | undefined
  for (const { name, token } of tokens) if (same(bearer, token)) found = name
  return found
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const same = (given: string, expected: string) => safeEqual(digest(given), digest(expected))
