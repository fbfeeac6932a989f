import type { RouteConfig, RouteHandler } from '@hono/zod-openapi'
import type { Env } from 'hono'
import type { routes as controlRoutes } from '../generated/control/routes.ts'
import type { routes as serviceRoutes } from '../generated/service/routes.ts'

/**
 * A handler for every operation: what it reads is typed by the description, and an operation without a handler, a
 * status that is not declared or a body of another shape does not compile.
 */
export type Handlers<Routes extends Readonly<Record<string, RouteConfig>>, E extends Env> = {
  readonly [Id in keyof Routes]: RouteHandler<Routes[Id], E>
}

export type ServiceHandlers<E extends Env> = Handlers<typeof serviceRoutes, E>
export type ControlHandlers<E extends Env> = Handlers<typeof controlRoutes, E>
