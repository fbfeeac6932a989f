/** The life of a request, in the order in which it happens. */
import type { Context } from 'hono'
import type { Library } from '../scenarios/library.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { AdminGuard } from './admin-guard.ts'
import { authorize, requireRoom } from './authorize.ts'
import type { CallerLimits } from './caller-limits.ts'
import type { Chaos } from './chaos.ts'
import type { Env } from './env.ts'
import { Exchange, type ExchangeDependencies } from './exchange.ts'
import type { Call, Handler } from './handler.ts'
import { readRequest } from './read-request.ts'
import type { Reply } from './reply.ts'
import type { Route } from './route-binding.ts'
import { withScenario } from './scenario/scenario-middleware.ts'

/** What serving needs of the process. */
export interface Dependencies extends ExchangeDependencies {
  readonly worlds: Worlds
  readonly callers: CallerLimits
  readonly admin: AdminGuard
  readonly chaos: Chaos
  /** The scenarios of the process as they are now. */
  readonly library: () => Library
  /** Does a job of a world now. */
  readonly runNow: (world: World, job_id: number) => Promise<void>
}

/** Answers a request of a route. What is thrown on the way, by whomever, is its refusal. */
export async function serve(c: Context<Env>, route: Route, dependencies: Dependencies): Promise<Response> {
  const exchange = new Exchange(c, dependencies)
  try {
    await authorize(exchange, route, dependencies)
    if (route.api === 'service' && dependencies.chaos.on) await dependencies.chaos.meet()
    await readRequest(exchange, route)
    // Others may have taken the room while the body came.
    if (route.grows) requireRoom(exchange.world, dependencies.worlds)
    const reply = await (route.api === 'service'
      ? withScenario(exchange, route, dependencies)
      : perform(route.handler, exchange))
    return exchange.send(reply)
  } catch (error) {
    return exchange.refuse(error)
  } finally {
    exchange.close()
  }
}

/** Does what a handler says it does. */
async function perform(handler: Handler, call: Call): Promise<Reply> {
  if (typeof handler === 'function') return handler(call)
  if ('reply' in handler) return handler.reply(call)
  const { read, change } = handler
  const reply = read && (await call.world.read((look) => read(look, call)))
  return reply ?? call.world.change((tx) => change!(tx, call))
}
