import type { RouteConfig } from '@hono/zod-openapi'
import type { Context, Handler, Hono } from 'hono'
import type { z } from 'zod'
import type { Worlds } from '../worlds/worlds.ts'
import { authenticate } from './authenticate.ts'
import type { Env } from './env.ts'
import type { RateLimit } from './rate-limit.ts'
import { openEntry } from './journal.ts'
import { parseJson, readText } from './read-body.ts'
import { refusal } from './refusal.ts'

/** One generated route in the parts that a request is held against. */
interface Bound {
  readonly id: string
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: { readonly lenient: z.ZodType; readonly documented: z.ZodType } | undefined
  readonly handler: Handler
}

/** What stands before every handler. */
export interface Access {
  readonly worlds: Worlds
  readonly rateLimit: RateLimit | undefined
}

export interface Api {
  readonly routes: { readonly [id: string]: RouteConfig }
  readonly handlers: { readonly [id: string]: unknown }
  /** Body schemas of the profile `documented`, where they differ. */
  readonly documentedBodies: { readonly [id: string]: z.ZodType }
}

/** Binds every generated route to its handler: credentials first, then the request's parts, then the handler. */
export function register(app: Hono<Env>, access: Access, { routes, handlers, documentedBodies }: Api): void {
  for (const [id, route] of Object.entries(routes)) {
    const lenient = bodySchema(route)
    const bound: Bound = {
      id,
      params: route.request?.params as z.ZodType | undefined,
      query: route.request?.query as z.ZodType | undefined,
      body: lenient && { lenient, documented: documentedBodies[id] ?? lenient },
      handler: handlers[id] as Handler,
    }
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) => serve(c, access, bound))
  }
}

/** `{name}` in the description is `:name` in the router. */
export const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

async function serve(c: Context<Env>, access: Access, bound: Bound) {
  const { world, caller } = await authenticate(access.worlds, c.req.header('authorization'))
  c.set('world', world)
  c.set('caller', caller)
  const entry = openEntry(c, bound.id)
  access.rateLimit?.(caller.username)
  if (bound.params) c.req.addValidatedData('param', check(bound.params, c.req.param()))
  if (bound.query) c.req.addValidatedData('query', check(bound.query, c.req.query()))
  if (bound.body) {
    entry.body = await readText(c)
    const sent = parseJson(entry.body, c.req.header('content-type'))
    c.req.addValidatedData('json', check(bound.body[world.settings.validation], sent))
  }
  return bound.handler(c, async () => {})
}

function check(schema: z.ZodType, value: unknown): object {
  const result = schema.safeParse(value)
  if (result.success) return result.data as object
  // Only a refusal names the values; to carry them along costs more than a second look at the few that fail.
  throw refusal(schema.safeParse(value, { reportInput: true }).error!)
}

function bodySchema(route: RouteConfig): z.ZodType | undefined {
  const media = route.request?.body?.content?.['application/json']
  return media && 'schema' in media ? (media.schema as z.ZodType) : undefined
}
