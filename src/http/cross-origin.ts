/** Controls which pages of other origins may use the sandbox, and for what. */
import type { Context, Env, Hono, MiddlewareHandler } from 'hono'
import type { cors as Cors } from 'hono/cors'
import { ServiceError } from '../service/domain/errors.ts'
import { lazy } from '../lib/lazy.ts'
import { headerOf } from './caller.ts'
import { isIP } from 'node:net'

/**
 * The origins whose pages may send requests and read responses; `https://*.docs.example` includes all subdomains, `*`
 * all origins.
 */
export type CorsOrigins = readonly string[] | '*'

/**
 * Paths that pages of other origins may use: neither those that control the process nor pages for payers and invitees.
 */
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

/** Adds CORS to an application in front of all routes, if origins are configured. */
export function shareAcrossOrigins<E extends Env>(app: Hono<E>, origins: CorsOrigins): void {
  if (origins.length === 0) return
  // Most sandboxes never need the middleware, so it is loaded at the first request.
  const handle = lazy(async () => corsOf(origins, (await import('hono/cors')).cors))
  for (const path of SHARED) app.use(path, async (c, next) => (await handle())(c, next))
}

/** Seconds that browsers cache a preflight response. */
const REMEMBERED = 600

/**
 * Answers preflight requests, which bring no credentials, and sets the CORS headers of responses. Cookies and
 * credentials stored by the browser are never allowed.
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
    // Browsers ask for permission before a public page reaches a private network.
    if (answer && asksForPrivate(c) && answer.headers.has('access-control-allow-origin'))
      answer.headers.set('Access-Control-Allow-Private-Network', 'true')
    return answer
  }
}

const asksForPrivate = (c: Context) => c.req.header('access-control-request-private-network') === 'true'

/** Other OPTIONS requests return 405. */
const isPreflight = (c: Context) =>
  c.req.header('origin') !== undefined && c.req.header('access-control-request-method') !== undefined

/**
 * Allows pages of listed origins to change settings of the sandbox's own API, with their own credentials and never with
 * those stored by the browser. `*` lists no origin.
 * @param isOpen - whether the request needs no credentials, but returns some
 * @throws {ServiceError} 403
 */
export function requireNamedOrigin(c: Context, origins: CorsOrigins, isOpen = false): void {
  const origin = headerOf(c, 'origin')
  if (origins === '*' || origin === undefined || !isAmong(origin, origins))
    throw new ServiceError(
      'permission_denied',
      `the sandbox accepts this request only from its own pages and from programs, not from ${origin ?? 'another site'}; allow an origin with SANDBOX_CORS_ORIGINS`,
    )
  if (isAskedFirst(c) && (isOpen || headerOf(c, 'authorization') !== undefined)) return
  throw new ServiceError(
    'permission_denied',
    `requests from ${origin} need ${isOpen ? '' : 'an Authorization header, and '}Content-Type: application/json or X-Requested-With`,
  )
}

/**
 * Whether an origin is listed, by itself or by a wildcard: `https://*.docs.example` matches all subdomains at the same
 * port, but not the domain itself.
 */
export const isAmong = (origin: string, origins: CorsOrigins): boolean =>
  origins === '*' ||
  origins.some((each) => {
    if (each === origin) return true
    const [before, after] = each.split('*')
    if (after === undefined || !origin.startsWith(before!) || !origin.endsWith(after)) return false
    return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(origin.slice(before!.length, -after.length))
  })

/**
 * Whether a browser sends a preflight request first. The response forbids stored credentials, so the browser does not
 * send the request. Requests without preflight are sent, and only their responses are hidden.
 */
const isAskedFirst = (c: Context) =>
  !['GET', 'HEAD', 'POST'].includes(c.req.method) ||
  /^application\/json\b/i.test(headerOf(c, 'content-type') ?? '') ||
  headerOf(c, 'x-requested-with') !== undefined

/** Host names besides those that are always allowed; `*` for any name. */
type AllowedHosts = readonly string[] | '*'

/** Whether a host name is configured, or cannot be resolved by a public name server. */
export type IsOurs = (name: string) => boolean

const INNER = /\.(localhost|internal|test|local|svc|home\.arpa|cluster\.local)$/i

/** @param named - configured names; `*.` at the start includes all subdomains */
export function oursBy(named: readonly string[]): IsOurs {
  const names = new Set(named.filter((each) => !each.startsWith('*.')).map((each) => each.toLowerCase()))
  const below = named.filter((each) => each.startsWith('*.')).map((each) => each.slice(1).toLowerCase())
  return (name) => {
    const host = name.toLowerCase().replace(/\.$/, '')
    if (isIP(host) !== 0 || !host.includes('.') || INNER.test(host)) return true
    return names.has(host) || below.some((end) => host.endsWith(end))
  }
}

/** Returns the name in a Host header, without the port. */
export const nameIn = (host: string) => host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')

/** Returns why a Host header is rejected; undefined if it is accepted. */
export type HostGuard = (host: string | undefined) => string | undefined

/**
 * Prevents DNS rebinding: a web page whose host name resolves to its reader's machine would otherwise share the
 * sandbox's origin.
 */
export function hostGuard(allowed: AllowedHosts, isOurs: IsOurs): HostGuard | undefined {
  if (allowed === '*') return undefined
  // For speed: nearly all requests use one of very few names.
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
