import { Hono, type Context } from 'hono'
import type { Wall } from './clock.ts'
import type { ControlParts } from './control/parts.ts'
import * as api from './generated/service/routes.ts'
import type { AdminGuard } from './http/admin-guard.ts'
import type { CallerLimits } from './http/caller-limits.ts'
import type { Env } from './http/env.ts'
import { answerFault } from './http/errors.ts'
import type { Metrics } from './http/metrics.ts'
import type { Process } from './http/process.ts'
import type { Stage } from './http/play.ts'
import { register } from './http/register.ts'
import { requestLog } from './http/request-log.ts'
import type { Log } from './log.ts'
import { lazy } from './lazy.ts'
import { operations, serviceReading } from './operations/operations.ts'
import type { ViewerOptions } from './ui/viewer/viewer.ts'
import type { Worlds } from './worlds/worlds.ts'

export interface AppOptions {
  readonly worlds: Worlds
  readonly log: Log
  readonly wall: Wall
  readonly callers: CallerLimits
  readonly headers: boolean
  readonly stage: Stage
  readonly admin: AdminGuard
  readonly process: Process
  readonly metrics?: Metrics | undefined
  /** What the control API steers. */
  readonly parts: ControlParts
  readonly pages: ViewerOptions
  /** Why nothing is accepted for now; undefined while all is well. */
  readonly unavailable: () => string | undefined
}

/** Below these the control API is asked first. */
const CONTROL = /^\/(sandbox|__admin)\//

/**
 * The application: the service, behind it the control API, and behind that the pages. What stands behind the service is
 * loaded and made at the first request for it: it is most of the code, and a sandbox that is only paid with needs none.
 */
export function createApp(options: AppOptions): Hono<Env> {
  const { worlds, log, wall, callers, headers, stage, admin, process, metrics, parts } = options
  const app = new Hono<Env>()
  const fault = answerFault(log)
  const logged = requestLog(log, wall, fault, metrics)

  const { library } = stage
  const { disturbance } = process
  const access = { logged, process, worlds, callers, headers, library, admin, disturbance }
  register(
    app,
    { ...access, stage },
    { ...api, kind: 'service', handlers: operations, always: serviceReading },
  )

  const site = passTo(async () => {
    const { createSite } = await import('./ui/site.ts')
    return createSite({ ...options, logged, fault })
  })
  const control = passTo(async () => {
    const { createControl } = await import('./control/control.ts')
    return createControl(access, parts).notFound(site).onError(fault)
  })
  app.notFound((c) => (CONTROL.test(c.req.path) ? control(c) : site(c)))
  app.onError(fault)
  return app
}

/** Passes requests on to an application that is made for the first of them. */
function passTo(make: () => Promise<Hono<Env>>): (c: Context<Env>) => Promise<Response> {
  const made = lazy(make)
  return async (c) => (await made()).fetch(c.req.raw, c.env)
}
