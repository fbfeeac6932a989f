import type { routes } from '../generated/service/routes.ts'
import type { Env } from '../http/env.ts'
import type { Handlers } from '../http/handler.ts'

/** A handler for every operation of the description; one that is missing does not compile. */
export type ServiceHandlers = Handlers<typeof routes, Env>
