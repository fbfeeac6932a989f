import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { CorsOrigins } from './cross-origin.ts'

/** How long a browser remembers what it was told, seconds. */
const REMEMBERED = 600

/**
 * Answers the question that a browser asks before a request of another origin's page, for which no credentials are needed, and
 * says of each answer who may read it. Cookies and credentials that a browser keeps are never allowed.
 */
export function corsOf(origins: CorsOrigins): MiddlewareHandler {
  const allow = cors({
    origin: origins === '*' ? '*' : [...origins],
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: ['*'],
    maxAge: REMEMBERED,
  })
  return (c, next) => (c.req.method !== 'OPTIONS' || isPreflight(c) ? allow(c, next) : next())
}

/** Any other OPTIONS is answered as a method that is not allowed. */
const isPreflight = (c: Context) =>
  c.req.header('origin') !== undefined && c.req.header('access-control-request-method') !== undefined
