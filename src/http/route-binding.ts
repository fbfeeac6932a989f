/** What is known of a route: what a request of it is held against, who may send it, and what serves it. */
import type { RouteConfig } from '@hono/zod-openapi'
import type { z } from 'zod'
import type { BodyReader, Handler } from './handler.ts'
import { BODY_LIMIT } from './read-body.ts'

/** The operations of one description. */
export interface Api {
  /** Requests of the service go on the world's record and may be disturbed; the sandbox's own are left alone. */
  readonly kind: 'service' | 'control'
  readonly routes: { readonly [id: string]: RouteConfig }
  readonly handlers: { readonly [id: string]: unknown }
  /** Body schemas of the profile `documented`, where they differ. */
  readonly documentedBodies: { readonly [id: string]: z.ZodType }
}

/** One generated route in the parts that a request is held against. */
export interface Route {
  /** The operation's. */
  readonly id: string
  readonly api: 'service' | 'control' | 'admin'
  /** What the caller of the sandbox's own API must be allowed; the service looks at its Teams instead. */
  readonly needs: 'owner' | 'more than reading' | 'reading' | 'nothing'
  /** It may be called without credentials. */
  readonly open: boolean
  /** It is for whoever may sign up, which its own token tells. */
  readonly signsUp: boolean
  /** It adds to the world's rows: not done when these have spent their budget. */
  readonly grows: boolean
  /** It leaves an entry in the audit. */
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
  /** Bytes. */
  readonly limit: number
  /** It may be YAML too. */
  readonly yaml: boolean
  /** Reads it where it is too long to be read at once. */
  readonly reader: BodyReader | undefined
  /** At least one known field must be given. */
  readonly change: boolean
  /** An optional text that is empty empties its field, instead of counting as not sent. */
  readonly empties: boolean
}

const GROWING: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

/** The route of an operation. To read its schemas makes them, so this is left to the first request of the route. */
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
    limit: (config['x-body-limit'] as number | undefined) ?? BODY_LIMIT,
    reader: 'readBody' in handler ? handler.readBody : undefined,
    yaml: body.content['application/yaml'] !== undefined,
    change: kind === 'control' && config.method === 'patch',
    empties: config.method === 'put' || config.method === 'patch',
  }
}

/** Changes by those who may do everything are; the rest say so themselves. */
function isAudited(api: Route['api'], roles: readonly string[], config: RouteConfig): boolean {
  const told = config['x-audited'] as boolean | undefined
  const isOfOwner = roles.every((role) => role === 'owner' || role === 'operator')
  return api !== 'service' && (told ?? (isOfOwner && config.method !== 'get'))
}

/** Who may call an operation of the sandbox's own API, by the roles that its description names. */
function needOf(roles: readonly string[]): Route['needs'] {
  if (roles.includes('viewer')) return 'reading'
  return roles.includes('finance') ? 'more than reading' : 'owner'
}

/** What the paths look like that `{name}` in the description stands for. */
export const pathPattern = (path: string) =>
  new RegExp(`^${path.replace(/[.\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)
