import type { RouteConfig } from '@hono/zod-openapi'
import type { Context, Handler, Hono } from 'hono'
import type { z } from 'zod'
import { requireMoreThanReading, requireOwner } from '../domain/access.ts'
import type { Fields } from '../domain/facts.ts'
import type { Library } from '../scenarios/library.ts'
import { once } from '../once.ts'
import { BODY_KEPT, type JournalEntry } from '../worlds/journal.ts'
import type { World } from '../worlds/world.ts'
import type { Known, Worlds } from '../worlds/worlds.ts'
import { type AdminGuard, refuseForeignOrigin } from './admin-guard.ts'
import { authenticate, recognize } from './authenticate.ts'
import type { Disturbance } from './disturbance.ts'
import type { Env } from './env.ts'
import { headerOf } from './header-in.ts'
import type { Process } from './process.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Logged } from './request-log.ts'
import { openEntry } from './journal.ts'
import { playScenarios, type Stage } from './play.ts'
import { BODY_LIMIT, parseJson, readText, requireUncompressed } from './read-body.ts'
import { misspelt } from './misspelt.ts'
import { readQuery } from './query.ts'
import { refusal } from './refusal.ts'
import { requireChange } from './require-change.ts'

/** One generated route in the parts that a request is held against. */
interface Bound {
  readonly id: string
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly headers: z.ZodType | undefined
  readonly body: BoundBody | undefined
  readonly handler: Handler
  readonly kind: Api['kind'] | 'admin'
  /** A call of the sandbox's own API that changes something. */
  readonly changes: boolean
  /** Only the world's owner may call it. */
  readonly ownersOnly: boolean
}

interface BoundBody {
  readonly lenient: z.ZodType
  readonly documented: z.ZodType
  readonly required: boolean
  /** Bytes. */
  readonly limit: number
  /** It may be YAML too. */
  readonly yaml: boolean
  /** At least one known field must be given. */
  readonly change: boolean
}

/** What stands before every handler. */
export interface Access {
  readonly logged: Logged
  readonly process: Process
  readonly worlds: Worlds
  readonly rateLimit: RateLimit | undefined
  readonly admin: AdminGuard
  readonly disturbance: Disturbance
  /** Whether answers have the headers that begin with `Sandbox-`. */
  readonly headers: boolean
  readonly library: () => Library
  /** Where scenarios are played in front of the handlers; undefined: they are not. */
  readonly stage?: Stage | undefined
}

export interface Api {
  /** Requests of the service go on the world's record and may be disturbed; the sandbox's own are left alone. */
  readonly kind: 'service' | 'control'
  readonly routes: { readonly [id: string]: RouteConfig }
  readonly handlers: { readonly [id: string]: unknown }
  /** Body schemas of the profile `documented`, where they differ. */
  readonly documentedBodies: { readonly [id: string]: z.ZodType }
  /** Bytes a body may have, where it is not the usual limit. */
  readonly bodyLimits?: { readonly [id: string]: number }
  /** Operations that change nothing, though they are no GET. */
  readonly reading?: ReadonlySet<string>
  /** Operations for the world's owner alone. */
  readonly ownersOnly?: ReadonlySet<string>
}

/** Binds every generated route to its handler: credentials first, then the request's parts, then the handler. */
export function register(app: Hono<Env>, access: Access, api: Api): void {
  const all = Object.entries(api.routes)
  const hidden = all.filter(([, { path }]) => all.some(([, other]) => hides(other.path, path)))
  for (const route of hidden) bind(route)
  // Another method of such a path must not fall through to the one with parameters.
  for (const [, { path }] of hidden) app.all(path, (c) => c.notFound())
  for (const route of all) if (!hidden.includes(route)) bind(route)

  function bind([id, route]: [string, RouteConfig]) {
    const { logged } = access
    const bound = once(() => boundOf(id, route))
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) =>
      logged(c, () => serve(c, access, bound())),
    )
  }

  function boundOf(id: string, route: RouteConfig): Bound {
    const lenient = bodySchema(route)
    return {
      id,
      params: route.request?.params as z.ZodType | undefined,
      query: route.request?.query as z.ZodType | undefined,
      headers: route.request?.headers as z.ZodType | undefined,
      body: lenient && {
        lenient,
        documented: api.documentedBodies[id] ?? lenient,
        required: route.request?.body?.required === true,
        limit: api.bodyLimits?.[id] ?? BODY_LIMIT,
        yaml: route.request?.body?.content?.['application/yaml'] !== undefined,
        change: api.kind === 'control' && route.method === 'patch',
      },
      handler: api.handlers[id] as Handler,
      changes: api.kind === 'control' && route.method !== 'get' && !api.reading?.has(id),
      ownersOnly: api.ownersOnly?.has(id) ?? false,
      kind: route.path.startsWith('/__admin/') ? 'admin' : api.kind,
    }
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
  const admitted = admit(c, access, bound)
  if (admitted) await admitted
  const path = bound.params ? check(bound.params, c.req.param()) : NOTHING
  const query = bound.query ? check(bound.query, readQuery(c, bound.query)) : NOTHING
  c.req.addValidatedData('param', path)
  c.req.addValidatedData('query', query)
  if (bound.headers) c.req.addValidatedData('header', check(bound.headers, c.req.header()))
  const body = bound.body ? await readBody(c, bound.body) : NOTHING
  c.req.addValidatedData('json', body)
  const { handler, id } = bound
  const handle = () => handler(c, nothingNext) as Promise<Response>
  return access.stage
    ? playScenarios(c, access.stage, { operation: id, path, query, body }, access.headers, handle)
    : handle()
}

/** What a request has where its operation asks for nothing. */
const NOTHING: Fields = Object.freeze({})
const nothingNext = () => Promise.resolve()

/** Whoever may not is told so before anything of the request is looked at. */
function admit(c: Context<Env>, access: Access, bound: Bound): Promise<void> | undefined {
  c.set('library', access.library)
  if (bound.kind !== 'service') c.set('process', access.process)
  if (bound.kind === 'admin') return void access.admin(c)
  if (bound.kind === 'control' && c.req.method !== 'GET') refuseForeignOrigin(c)
  const header = headerOf(c, 'authorization')
  const known = recognize(access.worlds, header)
  if (known) return enter(c, access, bound, known)
  return authenticate(access.worlds, header).then((found) => enter(c, access, bound, found))
}

/** What there is to wait for before a caller who is known gets on, if anything. */
function enter(
  c: Context<Env>,
  access: Access,
  bound: Bound,
  { world, caller }: Known,
): Promise<void> | undefined {
  c.set('world', world)
  c.set('caller', caller)
  if (bound.kind === 'service') openEntry(c, bound.id, access.headers)
  access.rateLimit?.(caller.username)
  if (bound.ownersOnly) return world.read((look) => requireOwner(look, caller))
  if (bound.changes) return world.read((look) => requireMoreThanReading(look, caller))
  return bound.kind === 'service' ? access.disturbance.meet() : undefined
}

async function readBody(c: Context<Env>, body: BoundBody): Promise<Fields> {
  const text = await readText(c, body.limit)
  c.set('text', text)
  const entry = c.get('entry') as JournalEntry | undefined
  if (entry) entry.body = text.length > BODY_KEPT ? text.slice(0, BODY_KEPT) : text
  if (text !== '') requireUncompressed(headerOf(c, 'content-encoding'))
  const type = headerOf(c, 'content-type')
  // Text in YAML is read by its handler, which says better where it is wrong.
  if (body.yaml && isYaml(type)) return {}
  const world = c.get('world') as World | undefined
  const schema = body[world?.settings.validation ?? 'documented']
  const sent = text === '' && !body.required ? {} : parseJson(text, type)
  const fields = check(schema, sent)
  if (body.change) requireChange(schema, sent)
  return fields
}

function check(schema: z.ZodType, value: unknown): Fields {
  const result = schema.safeParse(value)
  if (result.success) return result.data as Fields
  // Only a refusal names the values; to carry them along costs more than a second look at the few that fail.
  const { error } = schema.safeParse(value, { reportInput: true })
  throw refusal(error!, (path) => misspelt(schema, value, path))
}

const isYaml = (type: string | undefined) => /^(application|text)\/(x-)?yaml *(?:;|$)/i.test(type ?? '')

function bodySchema(route: RouteConfig): z.ZodType | undefined {
  const media = route.request?.body?.content?.['application/json']
  return media && 'schema' in media ? (media.schema as z.ZodType) : undefined
}
