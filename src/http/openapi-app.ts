/** The sandbox as an application that others mount in theirs. */
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { routes as controlRoutes } from '../generated/control/routes.ts'
import { routes as serviceRoutes } from '../generated/service/routes.ts'
import type { Mounted } from './origin.ts'

/** Answers a request. @param env what the server has of the connection */
export type FetchWith = (request: Request, env?: object) => Response | Promise<Response>

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Operations by id. */
type Routes = Readonly<Record<string, RouteConfig>>

/**
 * An application with every operation in its registry, so that it can tell its description; what answers stays `serve`
 * (docs/decisions, 10).
 * @param more served beside those of the service and of the sandbox's own API
 */
export function createOpenApiApp(fetch: FetchWith, more: Routes): OpenAPIHono {
  const app = new OpenAPIHono()
  // Their schemas are made when the description is asked for.
  for (const route of [serviceRoutes, controlRoutes, more].flatMap((routes: Routes) => Object.values(routes)))
    app.openAPIRegistry.registerPath(route)
  app.on(METHODS, '*', (c) => {
    const mounted_at = mountPathOf(c)
    const env: Mounted & object = { ...(c.env as object | undefined), mounted_at }
    return fetch(mounted_at === '' ? c.req.raw : requestBelow(mounted_at, c.req), env)
  })
  return app
}

/** The path below which the application is mounted, as it is in this request. */
function mountPathOf({ req }: Context): string {
  // Asked of the request: it was made by the Hono of whoever mounts, which need not be ours.
  const depth = req.routePath.split('/').length - 1
  return req.path.split('/').slice(0, depth).join('/')
}

function requestBelow(path: string, { raw, url }: Context['req']): Request {
  const below = new URL(url)
  below.pathname = below.pathname.slice(path.length) || '/'
  return new Request(below, raw)
}
