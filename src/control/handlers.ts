import type { routes } from '../generated/control/routes.ts'
import type { Env } from '../http/env.ts'
import type { Handlers } from '../http/handler.ts'

/** A handler for every operation of the control API's description. */
export type ControlHandlers = Handlers<typeof routes, Env>
