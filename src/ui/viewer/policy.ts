import type { Context, MiddlewareHandler } from 'hono'

/** Which other origins may show the documentation: all of them, or those listed. */
export type EmbedOrigins = readonly string[] | '*'

/** The value of `frame-ancestors`, or nothing where every page may frame us, those of files too. */
export const frameAncestors = (origins: EmbedOrigins) =>
  origins === '*' ? '' : `frame-ancestors 'self' ${origins.join(' ')}`.trimEnd()

/** Lets scripts of the embedding origins read what is answered; without credentials, which it never needs. */
export const shareWith =
  (origins: EmbedOrigins): MiddlewareHandler =>
  async (c, next) => {
    await next()
    allow(c, origins)
  }

function allow(c: Context, origins: EmbedOrigins): void {
  if (origins === '*') {
    c.header('Access-Control-Allow-Origin', '*')
    c.header('Cross-Origin-Resource-Policy', 'cross-origin')
    return
  }
  c.header('Vary', 'Origin', { append: true })
  const origin = c.req.header('origin')
  if (origin === undefined || !origins.includes(origin)) return
  c.header('Access-Control-Allow-Origin', origin)
}
