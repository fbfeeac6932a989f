import { Hono, type Context } from 'hono'
import type { ControlDependencies } from '../control/dependencies.ts'
import * as api from '../generated/service/routes.ts'
import { type Env, Exchange } from '../http/exchange.ts'
import { shareAcrossOrigins } from '../http/cross-origin.ts'
import { bindRoutes } from '../http/bind-routes.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { lazy } from '../lib/lazy.ts'
import { operations } from '../service/operations/operations.ts'
import type { SiteOptions } from '../pages/site.ts'

export interface AppOptions extends Pick<SiteOptions, 'pages' | 'mcp' | 'unavailable' | 'isHosted'> {
  readonly serving: Dependencies
  /** What the control API steers. */
  readonly control: ControlDependencies
  /** Whether the operations of the API's older generation are served. */
  readonly extensions: boolean
}

/** Below this they are asked after the service. */
const EXTENSIONS = '/api/'
/** Below these the control API is asked first. */
const CONTROL = /^\/(sandbox|__admin)\//

/**
 * The application: the service, behind it the control API, and behind that the pages. What stands behind the service is
 * loaded and made at the first request for it: it is most of the code, and a sandbox that is only paid with needs none.
 */
export function createApp(options: AppOptions): Hono<Env> {
  const { serving, control: steering, extensions: served, pages, mcp, unavailable, isHosted } = options
  const app = new Hono<Env>()
  shareAcrossOrigins(app, serving.corsOrigins)
  bindRoutes(app, serving, { ...api, kind: 'service', handlers: operations })

  const refuse = (error: Error, c: Context<Env>) => new Exchange(c, serving).refuse(error)
  const site = passTo(async () => {
    const { createSite } = await import('../pages/site.ts')
    const within: SiteOptions['within'] = (request, env) => app.fetch(request, env)
    return createSite({ serving, steering, extensions: served, pages, mcp, within, unavailable, isHosted })
  })
  const control = passTo(async () => {
    const { createControl } = await import('../control/control.ts')
    return createControl(serving, steering).notFound(site).onError(refuse)
  })
  const extensions = passTo(async () => {
    const { createExtensions } = await import('../service/operations/extensions/extensions.ts')
    return createExtensions(serving).notFound(site).onError(refuse)
  })
  app.notFound((c) => {
    if (CONTROL.test(c.req.path)) return control(c)
    return served && c.req.path.startsWith(EXTENSIONS) ? extensions(c) : site(c)
  })
  app.onError(refuse)
  return app
}

/** Passes requests on to an application that is made for the first of them. */
function passTo(make: () => Promise<Hono<Env>>): (c: Context<Env>) => Promise<Response> {
  const made = lazy(make)
  return async (c) => (await made()).fetch(c.req.raw, c.env)
}
