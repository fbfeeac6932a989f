import type { RouteConfig } from '@hono/zod-openapi'
import type { Context, Handler, Hono } from 'hono'
import type { z } from 'zod'
import { lazy } from '../lazy.ts'
import { admit, requireRoom, type Access } from './admit.ts'
import type { BodyReader, Bound } from './bound.ts'
import type { Env } from './env.ts'
import { headerOf } from './header-in.ts'
import { honoPath, pathPattern } from './paths.ts'
import { playScenarios } from './play.ts'
import { BODY_LIMIT } from './read-body.ts'
import { readRequest } from './read-request.ts'

export interface Api {
  /** Requests of the service go on the world's record and may be disturbed; the sandbox's own are left alone. */
  readonly kind: 'service' | 'control'
  readonly routes: { readonly [id: string]: RouteConfig }
  readonly handlers: { readonly [id: string]: unknown }
  /** Body schemas of the profile `documented`, where they differ. */
  readonly documentedBodies: { readonly [id: string]: z.ZodType }
  /** Bytes a body may have, where it is not the usual limit. */
  readonly bodyLimits?: { readonly [id: string]: number }
  /** How bodies are read that are too long to be read at once. */
  readonly bodyReaders?: { readonly [id: string]: BodyReader }
  /** Operations that are done even when the world's budget is spent, though they are no GET and no DELETE. */
  readonly always?: ReadonlySet<string>
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
    const bound = lazy(() => boundOf(id, route))
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) =>
      logged(c, () => serve(c, access, bound())),
    )
  }

  function boundOf(id: string, route: RouteConfig): Bound {
    const lenient = bodySchema(route)
    const kind = route.path.startsWith('/__admin/') ? 'admin' : api.kind
    const needs = api.kind === 'control' ? needOf(route['x-allowed-roles']) : 'nothing'
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
        reader: api.bodyReaders?.[id],
        yaml: route.request?.body?.content?.['application/yaml'] !== undefined,
        change: api.kind === 'control' && route.method === 'patch',
      },
      handler: api.handlers[id] as Handler,
      needs,
      grows: kind !== 'admin' && GROWING.has(route.method) && needs !== 'reading' && !api.always?.has(id),
      kind,
    }
  }
}

const GROWING: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

/** Who may call an operation of the sandbox's own API, by the roles that its description names. */
function needOf(roles: readonly string[] = ['owner']): Bound['needs'] {
  if (roles.includes('viewer')) return 'reading'
  return roles.includes('finance') ? 'more than reading' : 'owner'
}

/** Whether a path with parameters fits one without, as `/callbacks/{id}` fits `/callbacks/wait`. */
const hides = (path: string, other: string) =>
  path !== other && !other.includes('{') && pathPattern(path).test(other)

async function serve(c: Context<Env>, access: Access, bound: Bound) {
  const admitted = admit(c, access, bound)
  if (admitted) await admitted
  const { body, handler, id } = bound
  const end = body && bound.kind !== 'admin' ? holdBody(c, body.limit) : undefined
  try {
    const sent = await readRequest(c, bound)
    // Others may have taken the room while the body came.
    if (bound.grows) requireRoom(c.get('world'), access.worlds)
    const handle = () => handler(c, nothingNext) as Promise<Response>
    return await (access.stage
      ? playScenarios(c, access.stage, { operation: id, ...sent }, access.headers, handle)
      : handle())
  } finally {
    end?.()
  }
}

/** Counts a body for as long as its request is under way; one of unknown length as the longest there may be. */
function holdBody(c: Context<Env>, limit: number): () => void {
  const length = headerOf(c, 'content-length')
  return c
    .get('world')
    .budget.begin('bodies', length === undefined ? limit : Math.min(Number(length) || 0, limit))
}

const nothingNext = () => Promise.resolve()

function bodySchema(route: RouteConfig): z.ZodType | undefined {
  const media = route.request?.body?.content?.['application/json']
  return media && 'schema' in media ? (media.schema as z.ZodType) : undefined
}
