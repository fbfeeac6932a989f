/** Pages of other origins that may use the sandbox, and what they may do with it. */
import type { Context, Env, Hono, MiddlewareHandler } from 'hono'
import type { cors as Cors } from 'hono/cors'
import { ServiceError } from '../service/domain/errors.ts'
import { lazy } from '../lib/lazy.ts'
import { headerOf } from './origin.ts'
import { isIP } from 'node:net'

/**
 * The origins whose pages may send requests and read the answers, of which `https://*.docs.example` stands for all below that name; `*` for
 * all of them.
 */
export type CorsOrigins = readonly string[] | '*'

/** What pages of other origins are let use. What steers the process is not among it, nor what a payer or an invitee opens. */
const SHARED = [
  '/api/*',
  '/sandbox/*',
  '/mcp',
  '/docs/reader',
  '/openapi.json',
  '/openapi.yaml',
  '/openapi-extensions.json',
  '/openapi-extensions.yaml',
]

/** Lets pages of these origins in. Stands in front of all routes; where there are none, nothing is put there. */
export function shareAcrossOrigins<E extends Env>(app: Hono<E>, origins: CorsOrigins): void {
  if (origins.length === 0) return
  // What most sandboxes never need is not loaded at their start.
  const handle = lazy(async () => corsOf(origins, (await import('hono/cors')).cors))
  for (const path of SHARED) app.use(path, async (c, next) => (await handle())(c, next))
}

/** How long a browser remembers what it was told, seconds. */
const REMEMBERED = 600

/**
 * Answers the question that a browser asks before a request of another origin's page, for which no credentials are needed, and
 * says of each answer who may read it. Cookies and credentials that a browser keeps are never allowed.
 */
function corsOf(origins: CorsOrigins, cors: typeof Cors): MiddlewareHandler {
  const allow = cors({
    origin: origins === '*' ? '*' : (origin) => (isAmong(origin, origins) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: ['*'],
    maxAge: REMEMBERED,
  })
  return async (c, next) => {
    if (c.req.method !== 'OPTIONS') return allow(c, next)
    if (!isPreflight(c)) return next()
    const answer = await allow(c, next)
    // A page of the network asks so before it reaches into one's machine or one's own network.
    if (answer && asksForPrivate(c) && answer.headers.has('access-control-allow-origin'))
      answer.headers.set('Access-Control-Allow-Private-Network', 'true')
    return answer
  }
}

const asksForPrivate = (c: Context) => c.req.header('access-control-request-private-network') === 'true'

/** Any other OPTIONS is answered as a method that is not allowed. */
const isPreflight = (c: Context) =>
  c.req.header('origin') !== undefined && c.req.header('access-control-request-method') !== undefined

/**
 * Lets a page of a named origin change what the sandbox's own API steers: with credentials of its own, never with those that
 * its reader's browser keeps. Where `*` stands for all origins, none is named.
 * @throws ServiceError 403
 */
export function requireNamedOrigin(c: Context, origins: CorsOrigins): void {
  const origin = requireNamed(c, origins)
  if (!isAskedFirst(c) || headerOf(c, 'authorization') === undefined)
    throw new ServiceError(
      'permission_denied',
      `from ${origin} the sandbox takes this with an Authorization header, and with Content-Type: application/json or X-Requested-With`,
    )
}

/** The same for what needs no credentials, and gives some. @throws ServiceError 403 */
export function requireNamedAsker(c: Context, origins: CorsOrigins): void {
  const origin = requireNamed(c, origins)
  if (!isAskedFirst(c))
    throw new ServiceError(
      'permission_denied',
      `from ${origin} the sandbox takes this with Content-Type: application/json or X-Requested-With`,
    )
}

/** @throws ServiceError 403 */
function requireNamed(c: Context, origins: CorsOrigins): string {
  const origin = headerOf(c, 'origin')
  if (origins !== '*' && origin !== undefined && isAmong(origin, origins)) return origin
  throw new ServiceError(
    'permission_denied',
    `the sandbox takes this from its own pages and from programs, not from ${origin ?? 'another site'}; SANDBOX_CORS_ORIGINS can name an origin that may`,
  )
}

/** Whether an origin is listed, itself or by a wildcard: `https://*.docs.example` is every name below, at the same port, and not the name itself. */
export const isAmong = (origin: string, origins: CorsOrigins): boolean =>
  origins === '*' ||
  origins.some((each) => {
    if (each === origin) return true
    const [before, after] = each.split('*')
    if (after === undefined || !origin.startsWith(before!) || !origin.endsWith(after)) return false
    return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(origin.slice(before!.length, -after.length))
  })

/**
 * Whether a browser asks before it sends this from a page of another origin. It is told then that kept credentials are not
 * taken, and does not send a request that would bring them; others it sends, and only hides the answer.
 */
const isAskedFirst = (c: Context) =>
  !['GET', 'HEAD', 'POST'].includes(c.req.method) ||
  /^application\/json\b/i.test(headerOf(c, 'content-type') ?? '') ||
  headerOf(c, 'x-requested-with') !== undefined

/** The names a sandbox is called by beside those that are always its own; `*` for every name. */
type AllowedHosts = readonly string[] | '*'

/** Whether a host name is the sandbox's: one that was configured, or one that no name server of a stranger can answer for. */
export type IsOurs = (name: string) => boolean

const INNER = /\.(localhost|internal|test|local|svc|home\.arpa|cluster\.local)$/i

/** @param named in a setting; one that begins with `*.` stands for every name below */
export function oursBy(named: readonly string[]): IsOurs {
  const names = new Set(named.filter((each) => !each.startsWith('*.')).map((each) => each.toLowerCase()))
  const below = named.filter((each) => each.startsWith('*.')).map((each) => each.slice(1).toLowerCase())
  return (name) => {
    const host = name.toLowerCase().replace(/\.$/, '')
    if (isIP(host) !== 0 || !host.includes('.') || INNER.test(host)) return true
    return names.has(host) || below.some((end) => host.endsWith(end))
  }
}

/** The name in a Host header, without the port. */
export const nameIn = (host: string) => host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')

/** Why a request with this Host header is refused; undefined when it is not. */
export type HostGuard = (host: string | undefined) => string | undefined

/**
 * Holds that a web page does not reach a sandbox on its reader's machine by a name of its own which leads there (DNS
 * rebinding): to the browser that page would be of the sandbox's origin.
 */
export function hostGuard(allowed: AllowedHosts, isOurs: IsOurs): HostGuard | undefined {
  if (allowed === '*') return undefined
  // For speed: nearly all requests bring one of very few names.
  const passed = new Set<string>()
  return (host) => {
    if (host === undefined || passed.has(host)) return undefined
    const name = nameIn(host)
    if (!isOurs(name))
      return `this sandbox is not served as ${name}: call it by an address or a name such as localhost, or allow this one with SANDBOX_ALLOWED_HOSTS=${name} (a list, or * for every name), also where a proxy in front passes the name on`
    if (passed.size >= 100) passed.clear()
    passed.add(host)
    return undefined
  }
}
