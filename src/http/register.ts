import type { RouteConfig } from '@hono/zod-openapi'
import type { Context, Handler, Hono } from 'hono'
import type { z } from 'zod'
import type { Library } from '../scenarios/library.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Fields } from '../domain/facts.ts'
import { authenticate } from './authenticate.ts'
import type { Env } from './env.ts'
import type { RateLimit } from './rate-limit.ts'
import { openEntry } from './journal.ts'
import { playScenarios, type Stage } from './play.ts'
import { parseJson, readText } from './read-body.ts'
import { refusal } from './refusal.ts'

/** One generated route in the parts that a request is held against. */
interface Bound {
  readonly id: string
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: { readonly lenient: z.ZodType; readonly documented: z.ZodType } | undefined
  /** The body may be YAML too. */
  readonly yaml: boolean
  readonly handler: Handler
}

/** What stands before every handler. */
export interface Access {
  readonly worlds: Worlds
  readonly rateLimit: RateLimit | undefined
  /** Whether answers have the headers that begin with `Sandbox-`. */
  readonly headers: boolean
  readonly library: () => Library
  /** Where scenarios are played in front of the handlers; undefined: they are not. */
  readonly stage?: Stage | undefined
}

export interface Api {
  readonly routes: { readonly [id: string]: RouteConfig }
  readonly handlers: { readonly [id: string]: unknown }
  /** Body schemas of the profile `documented`, where they differ. */
  readonly documentedBodies: { readonly [id: string]: z.ZodType }
}

/** Binds every generated route to its handler: credentials first, then the request's parts, then the handler. */
export function register(app: Hono<Env>, access: Access, { routes, handlers, documentedBodies }: Api): void {
  const all = Object.entries(routes)
  const hidden = all.filter(([, { path }]) => all.some(([, other]) => hides(other.path, path)))
  for (const route of hidden) bind(route)
  // Another method of such a path must not fall through to the one with parameters.
  for (const [, { path }] of hidden) app.all(path, (c) => c.notFound())
  for (const route of all) if (!hidden.includes(route)) bind(route)

  function bind([id, route]: [string, RouteConfig]) {
    const lenient = bodySchema(route)
    const bound: Bound = {
      id,
      params: route.request?.params as z.ZodType | undefined,
      query: route.request?.query as z.ZodType | undefined,
      body: lenient && { lenient, documented: documentedBodies[id] ?? lenient },
      yaml: route.request?.body?.content?.['application/yaml'] !== undefined,
      handler: handlers[id] as Handler,
    }
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) => serve(c, access, bound))
  }
}

/** Whether a path with parameters fits one without, as `/callbacks/{id}` fits `/callbacks/wait`. */
const hides = (path: string, other: string) =>
  path !== other && !other.includes('{') && pathPattern(path).test(other)

/** What the paths look like that `{name}` in the description stands for. */
export const pathPattern = (path: string) =>
  new RegExp(`^${path.replace(/[.\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)

/** `{name}` in the description is `:name` in the router. */
export const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

async function serve(c: Context<Env>, access: Access, bound: Bound) {
  const { world, caller } = await authenticate(access.worlds, c.req.header('authorization'))
  c.set('world', world)
  c.set('caller', caller)
  c.set('library', access.library)
  const entry = openEntry(c, bound.id, access.headers)
  access.rateLimit?.(caller.username)
  const path = bound.params ? check(bound.params, c.req.param()) : {}
  const query = bound.query ? check(bound.query, c.req.query()) : {}
  let body: Fields = {}
  c.req.addValidatedData('param', path)
  c.req.addValidatedData('query', query)
  if (bound.body) {
    entry.body = await readText(c)
    const type = c.req.header('content-type')
    // Text in YAML is read by its handler, which says better where it is wrong.
    if (!(bound.yaml && isYaml(type))) {
      body = check(bound.body[world.settings.validation], parseJson(entry.body, type))
      c.req.addValidatedData('json', body)
    }
  }
  const { handler, id } = bound
  const handle = async () => (await handler(c, async () => {})) as Response
  return access.stage
    ? playScenarios(c, access.stage, { operation: id, path, query, body }, access.headers, handle)
    : handle()
}

function check(schema: z.ZodType, value: unknown): Fields {
  const result = schema.safeParse(value)
  if (result.success) return result.data as Fields
  // Only a refusal names the values; to carry them along costs more than a second look at the few that fail.
  throw refusal(schema.safeParse(value, { reportInput: true }).error!)
}

const isYaml = (type: string | undefined) => /^(application|text)\/(x-)?yaml *(?:;|$)/i.test(type ?? '')

function bodySchema(route: RouteConfig): z.ZodType | undefined {
  const media = route.request?.body?.content?.['application/json']
  return media && 'schema' in media ? (media.schema as z.ZodType) : undefined
}
