import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { routes as controlRoutes } from '../generated/control/routes.ts'
import { routes as serviceRoutes } from '../generated/service/routes.ts'
import type { Mounted } from './caller.ts'

/** @param env - the server's view of the connection */
export type FetchWith = (request: Request, env?: object) => Response | Promise<Response>

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Routes = Readonly<Record<string, RouteConfig>>

/**
 * Returns an application with every operation in its registry, so that it can generate its description; `serve` still
 * handles all requests (docs/decisions, 10).
 * @param more - routes besides those of the service and the sandbox's own API
 */
export function createOpenApiApp(fetch: FetchWith, more: Routes): OpenAPIHono {
  const app = new OpenAPIHono()
  // Their schemas are created when the description is requested.
  for (const route of [serviceRoutes, controlRoutes, more].flatMap((routes: Routes) => Object.values(routes)))
    app.openAPIRegistry.registerPath(route)
  app.on(METHODS, '*', (c) => {
    const mounted_at = mountPathOf(c)
    const env: Mounted & object = { ...(c.env as object | undefined), mounted_at }
    return fetch(mounted_at === '' ? c.req.raw : requestBelow(mounted_at, c.req), env)
  })
  return app
}

function mountPathOf({ req }: Context): string {
  // The host application's Hono may be another copy, so the path is read from the request.
  const depth = req.routePath.split('/').length - 1
  return req.path.split('/').slice(0, depth).join('/')
}

function requestBelow(path: string, { raw, url }: Context['req']): Request {
  const below = new URL(url)
  below.pathname = below.pathname.slice(path.length) || '/'
  return new Request(below, raw)
}
