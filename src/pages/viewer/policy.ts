import type { MiddlewareHandler } from 'hono'
import { isAmong } from '../../http/cross-origin.ts'

/** Origins that may embed the documentation. */
export type EmbedOrigins = readonly string[] | '*'

/**
 * Returns the `frame-ancestors` directive; empty if any page, including local files, may frame the
 * documentation.
 */
export function frameAncestors(origins: EmbedOrigins): string {
  if (origins === '*') return ''
  return origins.length === 0 ? "frame-ancestors 'none'" : `frame-ancestors 'self' ${origins.join(' ')}`
}

/** Gives a world to readers without credentials. */
export const READERS = '/docs/reader'

/** Paths that an embedded page may request. */
const EMBEDDED = ['/api/', '/docs/service.json']

/**
 * Returns the policy of a page with the viewer: scripts and style sheets need the nonce. Style attributes are
 * allowed because the viewer uses them; under this policy they can neither run code nor load anything.
 * @param host - for embedded pages, the sandbox's host and path; the sandbox's own API is then blocked, so
 * that a click on another site can change no more than a payment
 * @param readers - whether the page may request a world for its reader
 */
export function viewerPolicy(
  nonce: string,
  ancestors: string,
  host: string | undefined,
  readers: boolean,
): string {
  // Policies only support paths on plain hosts; otherwise the server rejects such requests by their referrer.
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

/** Lets scripts of the embedding origins read responses, without credentials. */
export const shareWith =
  (origins: EmbedOrigins): MiddlewareHandler =>
  async (c, next) => {
    await next()
    const { headers } = c.res
    if (origins === '*') {
      headers.set('Access-Control-Allow-Origin', '*')
      headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
      return
    }
    headers.append('Vary', 'Origin')
    const origin = c.req.header('origin')
    if (origin !== undefined && isAmong(origin, origins)) headers.set('Access-Control-Allow-Origin', origin)
  }
