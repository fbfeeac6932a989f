/** The life of a request, in the order in which it happens. */
import type { Context } from 'hono'
import { requestTurns } from '../lib/clock/fair-turns.ts'
import { audit } from './audit.ts'
import { authorize, requireRoom } from './authorize.ts'
import type { Dependencies } from './dependencies.ts'
import { type Env, Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import { readRequest } from './read-request.ts'
import type { Reply } from './reply.ts'
import type { Route } from './route-binding.ts'
import { withScenario } from './scenario/scenario-middleware.ts'

/** Answers a request of a route. Whatever is thrown on the way becomes the answer that refuses it. */
export async function serve(c: Context<Env>, route: Route, dependencies: Dependencies): Promise<Response> {
  const exchange = new Exchange(c, dependencies)
  try {
    await authorize(exchange, route, dependencies)
    const turn = requestTurns.enter(exchange.worldName)
    if (turn) await turn
    if (route.api === 'service' && dependencies.chaos.on) await dependencies.chaos.meet()
    await readRequest(exchange, route)
    // Asked again: while the body came in, other requests may have used the room up.
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

/** Does what a handler says it does. */
async function perform(handler: Handler, call: Exchange): Promise<Reply> {
  if (typeof handler === 'function') return handler(call)
  if ('reply' in handler) return handler.reply(call)
  const { read, change } = handler
  const reply = read && (await call.world.read((look) => read(look, call), call.arrived))
  return reply ?? call.world.change((tx) => change!(tx, call))
}
