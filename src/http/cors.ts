import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { isAmong, type CorsOrigins } from './cross-origin.ts'

/** How long a browser remembers what it was told, seconds. */
const REMEMBERED = 600

/**
 * Answers the question that a browser asks before a request of another origin's page, for which no credentials are needed, and
 * says of each answer who may read it. Cookies and credentials that a browser keeps are never allowed.
 */
export function corsOf(origins: CorsOrigins): MiddlewareHandler {
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
