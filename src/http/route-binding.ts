/** Routes: the schemas of a request, the required role and the handler. */
import type { RouteConfig } from '@hono/zod-openapi'
import type { z } from 'zod'
import type { BodyReader, Handler } from './handler.ts'

export interface Api {
  /** Requests of the service are logged in the world and subject to chaos; those of the sandbox's own API are not. */
  readonly kind: 'service' | 'control'
  readonly routes: { readonly [id: string]: RouteConfig }
  readonly handlers: { readonly [id: string]: unknown }
  /** Body schemas that differ in the profile `documented`. */
  readonly documentedBodies: { readonly [id: string]: z.ZodType }
}

/** One generated route. */
export interface Route {
  readonly id: string
  readonly api: 'service' | 'control' | 'admin'
  /** The role required by the sandbox's own API; the service checks roles per Team. */
  readonly needs: 'owner' | 'more than reading' | 'reading' | 'nothing'
  readonly open: boolean
  /** Requires a sign-up token. */
  readonly signsUp: boolean
  /** Adds rows to the world, so it is rejected when their budget is used up. */
  readonly grows: boolean
  readonly isAudited: boolean
  readonly path: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly headers: z.ZodType | undefined
  readonly body: BodyBinding | undefined
  readonly handler: Handler
}

export interface BodyBinding {
  readonly lenient: z.ZodType
  readonly documented: z.ZodType
  readonly required: boolean
  /** Bytes; undefined for the usual maximum. */
  readonly limit: number | undefined
  readonly yaml: boolean
  /** Reads a long body piece by piece. */
  readonly reader: BodyReader | undefined
  /** Requires at least one known field. */
  readonly change: boolean
  /** An empty optional text empties its field instead of counting as not sent. */
  readonly empties: boolean
}

const GROWING: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

/** Resolves a route at its first request, because reading its schemas creates them. */
export function routeOf(id: string, config: RouteConfig, { kind, handlers, documentedBodies }: Api): Route {
  const roles = (config['x-allowed-roles'] ?? ['owner']) as readonly string[]
  const api = roles.includes('operator') ? 'admin' : kind
  const needs = api === 'control' ? needOf(roles) : 'nothing'
  const handler = handlers[id] as Handler
  const grows = GROWING.has(config.method) && needs !== 'reading' && config['x-budget-exempt'] !== true
  return {
    id,
    api,
    needs,
    open: config.security?.length === 0,
    signsUp: config.security?.some((each) => 'signUpToken' in each) ?? false,
    grows: api !== 'admin' && grows,
    isAudited: isAudited(api, roles, config),
    path: config.request?.params as z.ZodType | undefined,
    query: config.request?.query as z.ZodType | undefined,
    headers: config.request?.headers as z.ZodType | undefined,
    body: bodyOf(config, handler, documentedBodies[id], kind),
    handler,
  }
}

function bodyOf(
  config: RouteConfig,
  handler: Handler,
  documented: z.ZodType | undefined,
  kind: Api['kind'],
): BodyBinding | undefined {
  const body = config.request?.body
  const media = body?.content?.['application/json']
  if (!body || !media || !('schema' in media)) return undefined
  const lenient = media.schema as z.ZodType
  return {
    lenient,
    documented: documented ?? lenient,
    required: body.required === true,
    limit: config['x-body-limit'] as number | undefined,
    reader: 'readBody' in handler ? handler.readBody : undefined,
    yaml: body.content['application/yaml'] !== undefined,
    change: kind === 'control' && config.method === 'patch',
    empties: config.method === 'put' || config.method === 'patch',
  }
}

/** Changes that require the owner's role are audited unless the description says otherwise. */
function isAudited(api: Route['api'], roles: readonly string[], config: RouteConfig): boolean {
  const told = config['x-audited'] as boolean | undefined
  const isOfOwner = roles.every((role) => role === 'owner' || role === 'operator')
  return api !== 'service' && (told ?? (isOfOwner && config.method !== 'get'))
}

function needOf(roles: readonly string[]): Route['needs'] {
  if (roles.includes('viewer')) return 'reading'
  return roles.includes('finance') ? 'more than reading' : 'owner'
}

/** Returns a pattern for a path of the description with `{name}` parameters. */
export const pathPattern = (path: string) =>
  new RegExp(`^${path.replace(/[.\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)
