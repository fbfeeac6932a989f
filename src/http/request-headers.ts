import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { headerIn } from '../lib/text/header-in.ts'

/** A header of a request. For speed it is taken from what Node parsed: the request's own `Headers` copies all of them first. */
export function headerOf(c: Context, name: string): string | undefined {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming ? headerIn(incoming.rawHeaders, name) : c.req.header(name)
}

/** The token that a request is sent with. */
export const bearerOf = (c: Context): string | undefined => bearerIn(headerOf(c, 'authorization'))

/** The token of a header `Authorization`. */
export const bearerIn = (authorization = ''): string | undefined => /^bearer +(.+)$/i.exec(authorization)?.[1]
