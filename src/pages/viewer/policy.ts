import type { Context, MiddlewareHandler } from 'hono'
import { isAmong } from '../../http/cross-origin.ts'

/** Which other origins may show the documentation: all of them, or those listed. */
export type EmbedOrigins = readonly string[] | '*'

/** The value of `frame-ancestors`, or nothing where every page may frame us, those of files too. */
export function frameAncestors(origins: EmbedOrigins): string {
  if (origins === '*') return ''
  return origins.length === 0 ? "frame-ancestors 'none'" : `frame-ancestors 'self' ${origins.join(' ')}`
}

/** Where a reader without credentials gets a world. */
export const READERS = '/docs/reader'

/** Where an embedded page may send requests: to the service, and for what it shows. */
const EMBEDDED = ['/api/', '/docs/service.json']

/**
 * The policy of a page with the viewer. Scripts and style sheets by nonce only. Style attributes are let through, because
 * the viewer writes markup with some; they can neither run code nor, under this policy, fetch anything from elsewhere.
 * @param host of an embedded page, as the browser names it, and the path below which the sandbox is found: there the sandbox's own API is out of reach, so that no click
 * which another site lures its reader to can change more than a payment; undefined for a page that nobody frames
 * @param readers whether it may ask for a world of its reader's
 */
export function viewerPolicy(
  nonce: string,
  ancestors: string,
  host: string | undefined,
  readers: boolean,
): string {
  // Only a plain name can have a path in a policy; requests that come all the same are refused by their referrer.
  const plain = host !== undefined && /^[\w.-]+(:\d+)?(\/[\w.~/-]*)?$/.test(host)
  const reached = readers ? [...EMBEDDED, READERS] : EMBEDDED
  const targets = plain ? reached.map((path) => host + path).join(' ') : "'self'"
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    `connect-src ${targets}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    ...(ancestors ? [ancestors] : []),
  ].join('; ')
}

/** Lets scripts of the embedding origins read what is answered; without credentials, which it never needs. */
export const shareWith =
  (origins: EmbedOrigins): MiddlewareHandler =>
  async (c, next) => {
    await next()
    allow(c, origins)
  }

function allow(c: Context, origins: EmbedOrigins): void {
  if (origins === '*') {
    c.res.headers.set('Access-Control-Allow-Origin', '*')
    c.res.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
    return
  }
  c.res.headers.append('Vary', 'Origin')
  const origin = c.req.header('origin')
  if (origin === undefined || !isAmong(origin, origins)) return
  c.res.headers.set('Access-Control-Allow-Origin', origin)
}
