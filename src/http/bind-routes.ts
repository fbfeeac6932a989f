/** Binds the routes of a description to what serves them. */
import type { RouteConfig } from '@hono/zod-openapi'
import type { Hono } from 'hono'
import { lazy } from '../lib/lazy.ts'
import type { Dependencies } from './dependencies.ts'
import type { Env } from './exchange.ts'
import { type Api, pathPattern, routeOf } from './route-binding.ts'
import { serve } from './serve.ts'

/** Serves every route of a description. What a route needs of its schemas is made at its first request. */
export function bindRoutes(app: Hono<Env>, dependencies: Dependencies, api: Api): void {
  const all = Object.entries(api.routes)
  const hidden = all.filter(([, { path }]) => all.some(([, other]) => hides(other.path, path)))
  for (const route of hidden) bind(route)
  // Another method of such a path must not fall through to the one with parameters.
  for (const [, { path }] of hidden) app.all(path, (c) => c.notFound())
  for (const route of all) if (!hidden.includes(route)) bind(route)

  function bind([id, config]: [string, RouteConfig]) {
    const route = lazy(() => routeOf(id, config, api))
    app.on(config.method.toUpperCase(), honoPath(config.path), (c) => serve(c, route(), dependencies))
  }
}

/** Whether a path with parameters fits one without, as `/callbacks/{id}` fits `/callbacks/wait`. */
const hides = (path: string, other: string) =>
  path !== other && !other.includes('{') && pathPattern(path).test(other)

/** `{name}` in the description is `:name` in the router. */
const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')
