import type { Env } from '../http/env.ts'
import type { ServiceHandlers as HandlersOver } from '../http/handler.ts'

/** A handler for every operation of the description; one that is missing does not compile. */
export type ServiceHandlers = HandlersOver<Env>
