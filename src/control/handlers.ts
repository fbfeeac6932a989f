import type { Env } from '../http/env.ts'
import type { ControlHandlers as HandlersOver } from '../http/handler.ts'

/** A handler for every operation of the control API's description. */
export type ControlHandlers = HandlersOver<Env>
