/** The life of a request, in order. */
import type { Context, Hono } from 'hono'
import { requestTurns } from '../lib/clock/fair-turns.ts'
import { audit } from './audit.ts'
import { authorize, requireRoom } from './authorize.ts'
import type { Dependencies } from './dependencies.ts'
import { type Env, Exchange } from './exchange.ts'
import type { Handler, Reply } from './handler.ts'
import { readRequest } from './read-request.ts'
import { type Api, pathPattern, type Route, routeOf } from './route-binding.ts'
import { withScenario } from './scenario.ts'
import type { RouteConfig } from '@hono/zod-openapi'
import { lazy } from '../lib/lazy.ts'

/** Serves a request of a route. Errors thrown on the way become error responses. */
export async function serve(c: Context<Env>, route: Route, dependencies: Dependencies): Promise<Response> {
  const exchange = new Exchange(c, dependencies)
  try {
    await authorize(exchange, route, dependencies)
    const turn = requestTurns.enter(exchange.worldName)
    if (turn) await turn
    if (route.api === 'service' && dependencies.chaos.on) await dependencies.chaos.meet()
    await readRequest(exchange, route)
    // Checked again: other requests may have filled the world while the body arrived.
    if (route.grows) requireRoom(exchange.world, dependencies.worlds)
    const reply = await (route.api === 'service' && exchange.entry
      ? withScenario(exchange, route, dependencies)
      : perform(route.handler, exchange))
    if (exchange.recording) await exchange.recording
    if (route.isAudited) await audit(exchange, route, dependencies, reply)
    return exchange.send(reply)
  } catch (error) {
    if (exchange.recording) await exchange.recording
    const refusal = exchange.refuse(error)
    if (route.isAudited) await audit(exchange, route, dependencies)
    return refusal
  } finally {
    exchange.close()
  }
}

async function perform(handler: Handler, call: Exchange): Promise<Reply> {
  if (typeof handler === 'function') return handler(call)
  if ('reply' in handler) return handler.reply(call)
  const { read, change } = handler
  const reply = read && (await call.world.read((look) => read(look, call), call.arrived))
  return reply ?? call.world.change((tx) => change!(tx, call))
}

/** Serves every route of a description; its schemas are created at its first request. */
export function bindRoutes(app: Hono<Env>, dependencies: Dependencies, api: Api): void {
  const all = Object.entries(api.routes)
  const hidden = all.filter(([, { path }]) => all.some(([, other]) => hides(other.path, path)))
  for (const route of hidden) bind(route)
  // Other methods of such a path must not match the path with parameters.
  for (const [, { path }] of hidden) app.all(path, (c) => c.notFound())
  for (const route of all) if (!hidden.includes(route)) bind(route)

  function bind([id, config]: [string, RouteConfig]) {
    const route = lazy(() => routeOf(id, config, api))
    app.on(config.method.toUpperCase(), honoPath(config.path), (c) => serve(c, route(), dependencies))
  }
}

/** Whether a path with parameters also matches one without, as `/callbacks/{id}` matches `/callbacks/wait`. */
const hides = (path: string, other: string) =>
  path !== other && !other.includes('{') && pathPattern(path).test(other)

/** Converts `{name}` of the description to `:name` of the router. */
const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')
