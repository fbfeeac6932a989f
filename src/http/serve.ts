import type { Context, Hono } from 'hono'
import { requestTurns } from '../lib/clock/fair-turns.ts'
import { audit } from './audit.ts'
import { authorize, inOrder, requireRoom, type Step } from './authorize.ts'
import type { Dependencies } from './dependencies.ts'
import { type Env, Exchange } from './exchange.ts'
import type { Handler, Reply } from './handler.ts'
import { observedOperation, performObserved, rejectObserved } from './observed.ts'
import { readRequest } from './read-request.ts'
import { type Api, pathPattern, type Route, routeOf } from './route-binding.ts'
import { withScenario } from './scenario.ts'
import type { RouteConfig } from '@hono/zod-openapi'
import { lazy } from '../lib/lazy.ts'

/** From top to bottom. A step returns a promise only if it has to wait, which most requests never do. */
const steps: readonly Step[] = [
  authorize,
  ({ worldName }) => requestTurns.enter(worldName),
  (_, { api }, { chaos }) => (api === 'service' && chaos.on ? chaos.meet() : undefined),
  (exchange, route, dependencies) =>
    observedOperation(exchange)
      ? performObserved(exchange, () => inOrder(performing, exchange, route, dependencies))
      : inOrder(performing, exchange, route, dependencies),
  (exchange) => exchange.recording,
  (exchange, route, dependencies) => route.isAudited && audit(exchange, route, dependencies, exchange.reply),
]

const performing: readonly Step[] = [
  readRequest,
  // Checked again: other requests may have filled the world while the body arrived.
  (exchange, { grows }, { worlds }) => grows && requireRoom(exchange.world, worlds),
  (exchange) => (observedOperation(exchange)?.reject ? rejectObserved(exchange) : undefined),
  performed,
]

/** Serves a request of a route. Errors thrown on the way become error responses. */
export function serve(
  c: Context<Env>,
  route: Route,
  dependencies: Dependencies,
): Response | Promise<Response> {
  const exchange = new Exchange(c, dependencies)
  if (route.api === 'service') exchange.operation = route.id
  const refuse = (error: unknown) => refused(exchange, route, dependencies, error)
  try {
    const waiting = inOrder(steps, exchange, route, dependencies)
    return waiting ? waiting.then(() => sent(exchange)).catch(refuse) : sent(exchange)
  } catch (error) {
    return refuse(error)
  }
}

function sent(exchange: Exchange): Response {
  const response = exchange.send(exchange.reply!)
  exchange.close()
  return response
}

function refused(
  exchange: Exchange,
  route: Route,
  dependencies: Dependencies,
  error: unknown,
): Response | Promise<Response> {
  const { recording } = exchange
  if (recording) return recording.then(() => refusedAs(exchange, route, dependencies, error))
  return refusedAs(exchange, route, dependencies, error)
}

function refusedAs(exchange: Exchange, route: Route, dependencies: Dependencies, error: unknown) {
  const refusal = exchange.refuse(error)
  const ended = () => {
    exchange.close()
    return refusal
  }
  return route.isAudited ? audit(exchange, route, dependencies).then(ended) : ended()
}

function performed(exchange: Exchange, route: Route, dependencies: Dependencies): void | Promise<void> {
  // The service was observed to reject such a request.
  if (exchange.reply) return
  const reply =
    route.api === 'service' && exchange.entry
      ? withScenario(exchange, route, dependencies)
      : perform(route.handler, exchange)
  if (reply instanceof Promise) return reply.then((made) => void (exchange.reply = made))
  exchange.reply = reply
}

function perform(handler: Handler, call: Exchange): Reply | Promise<Reply> {
  if (typeof handler === 'function') return handler(call)
  if ('reply' in handler) return handler.reply(call)
  const { read, change } = handler
  const changed = () => call.world.change((tx) => change!(tx, call))
  if (!read) return changed()
  const reply = call.world.read((look) => read(look, call), call.arrived)
  return reply instanceof Promise ? reply.then((made) => made ?? changed()) : (reply ?? changed())
}

/** Serves every route of a description; its schemas are created at its first request. */
export function bindRoutes(app: Hono<Env>, dependencies: Dependencies, api: Api): void {
  const all = Object.entries(api.routes)
  // A path with parameters also matches one without, as `/callbacks/{id}` matches `/callbacks/wait`.
  const patterns = all.filter(([, { path }]) => path.includes('{')).map(([, { path }]) => pathPattern(path))
  const hidden = all.filter(
    ([, { path }]) => !path.includes('{') && patterns.some((pattern) => pattern.test(path)),
  )
  for (const route of hidden) bind(route)
  // Other methods of such a path must not match the path with parameters.
  for (const [, { path }] of hidden) app.all(path, (c) => c.notFound())
  for (const route of all) if (!hidden.includes(route)) bind(route)

  function bind([id, config]: [string, RouteConfig]) {
    const route = lazy(() => routeOf(id, config, api))
    app.on(config.method.toUpperCase(), honoPath(config.path), (c) => serve(c, route(), dependencies))
  }
}

/** Converts `{name}` of the description to `:name` of the router. */
const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')
